"""Health and genes: codes of diagnoses and drugs, and the words of a clinic."""

from __future__ import annotations

import re

from privet.audits.columns._column_evidence import Detector

_ICD_10 = re.compile(r"[A-TV-Z]\d[0-9AB](?:\.[0-9A-Z]{1,4})?(?:[ :,-].{3,})?")
_ICD_10_DOTTED = re.compile(r"[A-TV-Z]\d[0-9AB]\.[0-9A-Z]{1,4}(?:[ :,-].{3,})?")
_ICD_9 = re.compile(r"(?:\d{3}|V\d{2}|E\d{3})\.\d{1,2}(?:[ :,-].{3,})")
_ATC = re.compile(r"[ABCDGHJLMNPRSV]\d{2}[A-Z]{2}\d{2}")
_NDC = re.compile(r"\d{5}-\d{4}-\d{2}|\d{5}-\d{3}-\d{2}|\d{4}-\d{4}-\d{2}")
_RSID = re.compile(r"rs\d{3,12}", re.IGNORECASE)
_BASES = re.compile(r"[ACGTN]{12,}", re.IGNORECASE)
_ALLELES = re.compile(
    r"(?:HLA-)?(?:DRB1|DQB1|DQA1|[ABC])\*\d{2}:\d{2}(?::\d{2})*|BRCA[12]\b.*|APOE ?[eε][234]/[eε][234]"
)
_BLOOD = re.compile(r"(?:A|B|AB|O|0)(?: ?[+-]|(?: (?:Rh)?(?:pos|neg)(?:itive)?))", re.IGNORECASE)
_ILLNESS = re.compile(
    r"\b(?:diabet\w*|cancer|carcinoma|tumou?r|leuk(?:a)?emia|lymphoma|melanoma|asthma|copd|pneumonia|influenza|covid(?:-19)?|"
    r"hiv|aids|hepatitis|tuberculosis|sepsis|stroke|epileps\w*|migraine|dementia|alzheimer\w*|parkinson\w*|"
    r"multiple sclerosis|schizophreni\w*|bipolar|depress\w*|anxiety|autis\w*|adhd|ptsd|psychos\w*|addict\w*|alcoholism|"
    r"hypertension|high blood pressure|heart (?:failure|attack|disease)|infarction|fibrillation|angina|arthr\w*|"
    r"osteoporosis|fracture\w*|appendicitis|gallstones|hernia|pancreatitis|cirrhosis|crohn\w*|colitis|ulcer\w*|"
    r"kidney (?:failure|stone|disease)|dialysis|obes\w*|an(?:a)?emia|h(?:a)?emophilia|pregnan\w*|miscarriage|abortion|"
    r"preeclampsia|infertility|endometriosis|psoriasis|eczema|lupus|gout|malaria|syphilis|gonorrh\w*|chlamydia|herpes|"
    r"disorder|syndrome|infection|failure|neoplasm|malignan\w*|congenital|inflammation|gastritis|bronchitis|flu)\b",
    re.IGNORECASE,
)
_DRUG = re.compile(
    r"(?:aspirin|paracetamol|acetaminophen|ibuprofen|insulin|metformin|warfarin|heparin|morphine|oxycodone|fentanyl|"
    r"methadone|tramadol|codeine|diazepam|lorazepam|lithium|sertraline|fluoxetine|citalopram|escitalopram|levothyroxine|"
    r"prednisone|prednisolone|furosemide|bisoprolol|digoxin|tamoxifen|methotrexate|"
    r"[a-z]{3,}(?:cillin|mycin|olol|pril|sartan|statin|azole|oxacin|prazole|tidine|zepam|zolam|triptan|gliptin|gliflozin|"
    r"parin|mab|tinib|vir|setron|dipine|thiazide|cycline|floxacin))(?: \d.*| [a-z]+)?",
    re.IGNORECASE,
)


def is_icd(text: str) -> bool:
    """A code of ICD-10 with its decimal, or any ICD code with the name of the illness after it."""
    return (
        _ICD_10_DOTTED.fullmatch(text) is not None
        or _ICD_9.fullmatch(text) is not None
        or (_ICD_10.fullmatch(text) is not None and len(text) > 8)
    )


def is_bare_icd(text: str) -> bool:
    """A code of ICD-10 with or without its decimal: other short codes look alike."""
    return _ICD_10.fullmatch(text) is not None


def is_illness(text: str) -> bool:
    """A short text that names an illness."""
    return len(text) <= 90 and _ILLNESS.search(text) is not None


def is_drug(text: str) -> bool:
    """The name of a drug or its international ending, with or without a dose; or an ATC or NDC code."""
    return len(text) <= 60 and any(form.fullmatch(text) for form in (_DRUG, _ATC, _NDC))


def is_genetic(text: str) -> bool:
    """A named variant, a sequence of bases or a tissue type."""
    return any(form.fullmatch(text) for form in (_RSID, _BASES, _ALLELES))


DETECTORS = (
    Detector("user.health_and_medical.diagnosis", is_icd, chance=0.01, typical=0.9),
    Detector("user.health_and_medical.diagnosis", is_bare_icd, chance=0.3, typical=0.9),
    Detector("user.health_and_medical.diagnosis", is_illness, chance=0.02, typical=0.6, says="are among words for"),
    Detector("user.health_and_medical.medication", is_drug, chance=0.02, typical=0.7, says="are among words for"),
    Detector("user.genetic", is_genetic, chance=0.005),
    Detector("user.health_and_medical", lambda text: _BLOOD.fullmatch(text) is not None, chance=0.05, says="are blood groups, that is"),
)  # fmt: skip
