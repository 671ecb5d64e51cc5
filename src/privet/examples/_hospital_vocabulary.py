"""The words the made-up hospital speaks: names, places, wards, diagnoses and notes."""
# ruff: noqa: SIM905  lists of words read best as words

from __future__ import annotations

from dataclasses import dataclass

WOMEN = tuple(
    "Mary Linda Susan Karen Nancy Lisa Betty Sandra Ashley Emily Donna Michelle Carol Amanda Melissa Deborah "
    "Stephanie Rebecca Laura Helen Sharon Cynthia Kathleen Amy Angela Shirley Anna Brenda Pamela Emma Nicole "
    "Samantha Katherine Christine Olivia Maria Rosa Carmen Lucia Elena Sofia Ines Yuki Mei Ling Priya Ananya "
    "Fatima Aisha Leila Zeynep Olga Irina Svetlana Ngozi Amara Adaeze Ruth Miriam Esther Chloe Sophie Ella Grace "
    "Hannah Zoe Ingrid Astrid Freya Wanda Agnes Magda Thuy Lan Hoa Jasmine Talia Noor".split()
)
MEN = tuple(
    "James Robert John Michael David William Richard Joseph Thomas Charles Daniel Matthew Anthony Mark Donald "
    "Steven Paul Andrew Joshua Kenneth Kevin Brian George Timothy Ronald Edward Jason Jeffrey Ryan Jacob Gary "
    "Nicholas Eric Jonathan Stephen Larry Justin Scott Brandon Jose Carlos Juan Luis Diego Mateo Pablo Hiro Kenji "
    "Wei Jun Arjun Rahul Vikram Omar Ali Hassan Mehmet Ivan Dmitri Sergei Chidi Emeka Kwame Samuel Isaac Elias Noah "
    "Liam Ethan Lucas Lars Erik Bjorn Piotr Tomasz Minh Duc Tariq Amir".split()
)
FAMILIES = tuple(
    "Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Gonzalez Wilson "
    "Anderson Thomas Taylor Moore Jackson Martin Lee Perez Thompson White Harris Sanchez Clark Ramirez Lewis "
    "Robinson Walker Young Allen King Wright Scott Torres Nguyen Hill Flores Green Adams Nelson Baker Hall Rivera "
    "Campbell Mitchell Carter Roberts Gomez Phillips Evans Turner Diaz Parker Cruz Edwards Collins Reyes Stewart "
    "Morris Morales Murphy Cook Rogers Gutierrez Ortiz Morgan Cooper Peterson Bailey Reed Kelly Howard Ramos Kim Cox "
    "Ward Richardson Watson Brooks Chavez Wood James Bennett Gray Mendoza Ruiz Hughes Price Alvarez Castillo Sanders "
    "Patel Myers Long Ross Foster Jimenez Powell Jenkins Perry Russell Sullivan Bell Coleman Butler Henderson Barnes "
    "Fisher Vasquez Simmons Romero Jordan Patterson Alexander Hamilton Graham Reynolds Griffin Wallace Moreno West "
    "Cole Hayes Bryant Herrera Gibson Ellis Tran Medina Aguilar Stevens Murray Ford Castro Marshall Owens Harrison "
    "Fernandez Kowalski Novak Okafor Mensah Abebe Haddad Rahman Khan Singh Sharma Gupta Chen Wang Li Zhang Liu Yang "
    "Tanaka Suzuki Sato Yamamoto Ivanova Petrov Larsen Hansen Berg Lindqvist Schmidt Weber Fischer Rossi Ricci "
    "Dubois Moreau Silva Costa Pereira Yilmaz Demir Cohen Levy Friedman".split()
)
MAILBOXES = ("example.org", "mail.example.org", "post.example.org", "home.example.org")

# Postal prefixes that are not in use. The first is the hospital's own county.
ZIP_AREAS = ((98700, 42), (69800, 30), (69900, 30), (69700, 24))

WARDS = (
    "Cardiology",
    "Surgery",
    "Internal medicine",
    "Oncology",
    "Neurology",
    "Orthopaedics",
    "Maternity",
    "Paediatrics",
    "Psychiatry",
    "Intensive care",
)
PAEDIATRICS, INTENSIVE_CARE = WARDS.index("Paediatrics"), WARDS.index("Intensive care")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One diagnosis: how common, whom it meets, where and how long it is treated, and how often people return."""

    label: str  # code and name
    weight: float  # relative frequency at its own age
    age: float  # the age it is most common at
    spread: float  # how widely it strays from that age, in years
    ward: str
    days: float  # median length of stay
    daily: float  # cost of a day
    returns: float  # added to the log-odds of coming back within thirty days
    sex: str = ""  # "F" or "M" if it meets only one


# label | weight | age | spread | ward | days | cost a day | returns | sex
_COMMON = """
I50.9 Heart failure|60|78|14|Cardiology|5.5|2100|0.9|
I21.4 Myocardial infarction|34|69|13|Cardiology|4.0|3900|0.4|
I48.9 Atrial fibrillation|38|74|13|Cardiology|2.5|1900|0.2|
I10 High blood pressure|20|66|16|Internal medicine|2.0|1300|-0.3|
I63.9 Stroke|32|75|13|Neurology|6.0|2600|0.4|
J18.9 Pneumonia|52|70|28|Internal medicine|5.0|1700|0.3|
J44.1 Chronic obstructive lung disease|40|71|11|Internal medicine|4.5|1600|0.8|
J45.9 Asthma|22|24|22|Internal medicine|2.5|1300|0.0|
J12.8 Viral pneumonia|18|66|24|Internal medicine|6.0|1800|0.2|
A41.9 Sepsis|40|72|17|Intensive care|7.0|3600|0.7|
N39.0 Urinary tract infection|30|74|20|Internal medicine|3.5|1300|0.2|
N17.9 Acute kidney failure|24|73|15|Internal medicine|5.0|1900|0.7|
N20.0 Kidney stone|18|48|15|Surgery|1.5|1800|-0.4|
E11.9 Type 2 diabetes|30|64|14|Internal medicine|3.5|1400|0.4|
E10.1 Type 1 diabetes with ketoacidosis|9|26|16|Internal medicine|3.0|1800|0.5|
E86.0 Dehydration|14|72|28|Internal medicine|2.0|1100|-0.1|
K35.8 Appendicitis|20|24|16|Surgery|2.0|2900|-0.8|
K80.2 Gallstones|26|55|17|Surgery|2.5|2700|-0.4|
K85.9 Pancreatitis|14|54|16|Internal medicine|4.5|1900|0.3|
K92.2 Gastrointestinal bleeding|20|69|17|Internal medicine|3.5|2000|0.3|
K40.9 Inguinal hernia|16|60|18|Surgery|1.0|2800|-0.9|
K56.6 Bowel obstruction|14|67|17|Surgery|4.5|2300|0.2|
S72.0 Hip fracture|30|82|10|Orthopaedics|6.0|2700|0.3|
S82.8 Fracture of lower leg|14|46|22|Orthopaedics|3.0|2500|-0.5|
S52.5 Fracture of forearm|11|40|27|Orthopaedics|1.5|2400|-0.8|
M16.1 Arthrosis of hip|24|69|10|Orthopaedics|3.0|3900|-0.7|
M17.1 Arthrosis of knee|28|68|10|Orthopaedics|3.0|3800|-0.7|
M54.5 Back pain|12|54|16|Orthopaedics|2.0|1200|-0.2|
S06.0 Concussion|12|32|25|Neurology|1.0|1500|-0.7|
G40.9 Epilepsy|11|38|26|Neurology|2.5|1700|0.3|
G35 Multiple sclerosis|5|40|11|Neurology|4.0|2100|0.3|
G20 Parkinson disease|6|76|8|Neurology|5.5|1700|0.3|
C34.9 Lung cancer|12|69|10|Oncology|6.0|2800|0.9|
C50.9 Breast cancer|12|61|13|Oncology|3.0|2900|0.3|F
C18.9 Colon cancer|11|69|12|Oncology|6.0|2800|0.5|
C61 Prostate cancer|10|69|8|Oncology|2.5|3000|-0.1|M
C91.0 Acute lymphoblastic leukaemia|3|9|9|Oncology|9.0|3300|1.0|
C81.9 Hodgkin lymphoma|2|31|14|Oncology|6.0|3000|0.7|
O80 Normal birth|95|29|5|Maternity|2.0|1900|-1.3|F
O82 Caesarean birth|42|32|5|Maternity|3.5|2300|-1.0|F
O14.9 Pre-eclampsia|8|30|6|Maternity|3.5|2200|-0.2|F
P07.3 Premature birth|9|0|0.6|Paediatrics|12.0|2900|0.1|
P59.9 Neonatal jaundice|12|0|0.6|Paediatrics|2.0|1500|-0.7|
J21.9 Bronchiolitis|14|1|1.6|Paediatrics|2.5|1500|-0.2|
A08.4 Viral gastroenteritis|14|12|20|Paediatrics|1.5|1100|-0.5|
F32.2 Severe depression|22|43|18|Psychiatry|11.0|1100|0.4|
F20.0 Schizophrenia|13|38|13|Psychiatry|14.0|1100|0.8|
F31.9 Bipolar disorder|10|40|14|Psychiatry|10.0|1100|0.6|
F10.2 Alcohol dependence|18|49|13|Psychiatry|5.5|1100|0.7|
F50.0 Anorexia nervosa|2|19|5|Psychiatry|21.0|1200|0.5|
B20 HIV disease|4|46|12|Internal medicine|5.0|2000|0.5|
L03.1 Cellulitis|18|60|20|Internal medicine|3.5|1400|0.0|
D57.0 Sickle-cell crisis|4|24|13|Internal medicine|4.5|1800|1.1|
T39.1 Paracetamol poisoning|5|27|14|Intensive care|2.0|2100|0.3|
"""
_RARE_NAMED = (
    "E75.2 Fabry disease|E84.0 Cystic fibrosis|E83.0 Wilson disease|E80.2 Acute intermittent porphyria|"
    "E74.0 Glycogen storage disease|E70.0 Phenylketonuria|G12.2 Amyotrophic lateral sclerosis|G10 Huntington disease|"
    "G61.0 Guillain-Barre syndrome|G70.0 Myasthenia gravis|M31.3 Granulomatosis with polyangiitis|M34.9 Scleroderma|"
    "M35.2 Behcet disease|D59.3 Haemolytic-uraemic syndrome|D66 Haemophilia A|D69.3 Immune thrombocytopenia|"
    "Q87.4 Marfan syndrome|Q79.6 Ehlers-Danlos syndrome|Q85.1 Tuberous sclerosis|Q21.3 Tetralogy of Fallot|"
    "A81.0 Creutzfeldt-Jakob disease|A48.1 Legionnaires disease|A23.9 Brucellosis|A27.9 Leptospirosis|"
    "B50.9 Malaria|B67.9 Echinococcosis|A15.0 Tuberculosis of lung|A05.1 Botulism|G47.4 Narcolepsy|I27.0 Primary "
    "pulmonary hypertension|K83.0 Sclerosing cholangitis|N04.9 Nephrotic syndrome"
).split("|")
# The far end of the tail: a kind of trouble at a place in the body, as a coding system lists them.
_KINDS = (
    ("C7{0:01d}.8", "Secondary malignant growth of", "Oncology"),
    ("D1{0:01d}.9", "Benign growth of", "Surgery"),
    ("D4{0:01d}.1", "Growth of uncertain behaviour of", "Oncology"),
    ("Q1{0:01d}.8", "Congenital malformation of", "Paediatrics"),
    ("S3{0:01d}.7", "Open wound of", "Surgery"),
    ("T2{0:01d}.3", "Burn of third degree of", "Intensive care"),
    ("M8{0:01d}.6", "Inflammation of", "Internal medicine"),
    ("T8{0:01d}.5", "Complication of an implant in", "Surgery"),
)
_SITES = tuple(
    "larynx|trachea|oesophagus|stomach|duodenum|spleen|adrenal gland|thyroid gland|parathyroid gland|pituitary gland|"
    "eyelid|retina|inner ear|salivary gland|tongue|pericardium|aorta|diaphragm|bladder|urethra|shoulder joint|elbow|"
    "wrist|ankle|lower jaw|cheekbone|spinal cord|cerebellum|facial nerve|optic nerve".split("|")
)


def diagnoses() -> tuple[Diagnosis, ...]:
    """The whole catalogue, from the most common to diagnoses that a hospital sees once in years."""
    found = [_common(line) for line in _COMMON.strip().splitlines()]
    for place, label in enumerate(_RARE_NAMED):
        found.append(Diagnosis(label, 1.6 / (place + 1) ** 0.7, 45, 24, WARDS[2], 6.0, 2200, 0.4))
    tail = 0
    for site_number, site in enumerate(_SITES):
        for code, kind, ward in _KINDS:
            tail += 1
            label = f"{code.format(site_number % 10)}{site_number // 10} {kind} {site}"
            found.append(Diagnosis(label, 0.9 / tail**0.9, 50, 26, ward, 4.0, 2300, 0.1))
    return tuple(found)


def _common(line: str) -> Diagnosis:
    label, weight, age, spread, ward, days, daily, returns, sex = line.split("|")
    return Diagnosis(
        label, float(weight), float(age), float(spread), ward, float(days), float(daily), float(returns), sex
    )


# A note is said before and after a slot; the slot holds nothing, the patient's name, or the telephone number.
NOTES: tuple[tuple[str, str, str], ...] = (
    ("Stable on discharge, follow-up in two weeks.", "", ""),
    ("Good recovery, mobilised early.", "", ""),
    ("Medication adjusted, tolerated well.", "", ""),
    ("Wound dry, no sign of infection.", "", ""),
    ("Observed overnight, no further complaints.", "", ""),
    ("Lives alone, home care arranged.", "", ""),
    ("Allergic to penicillin.", "", ""),
    ("Smoker, advised to stop.", "", ""),
    ("Laboratory results pending, letter to follow.", "", ""),
    ("Discharged home with relatives.", "", ""),
    ("Transferred from another hospital.", "", ""),
    ("", "", ""),
    ("Spoke with ", "name", " about the risks of leaving early."),
    ("", "name", " reports less pain since yesterday."),
    ("Relatives of ", "name", " informed by telephone."),
    ("Please call ", "phone", " with the results."),
    ("Family can be reached at ", "phone", "."),
)
NOTE_WEIGHTS = (14, 13, 11, 8, 9, 6, 4, 5, 6, 10, 3, 8, 2, 4, 2, 2, 1.5)
