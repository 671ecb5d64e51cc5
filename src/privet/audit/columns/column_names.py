"""What the name of a column says about its values. The first rule that fits wins; special ones come before general ones."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

# category | words (as regular expressions over whole words of the name, in small letters)
_RULES = """
user.authorization.credentials|password|passwd|pwd|secret|api key|private key|pin code|passwort|mot de passe
user.contact.fax_number|fax( (no|nr|num|number))?|telefax
user.contact.email|e ?mails?( (address|addr|id))?|mail address|correo( electronico)?|courriel
user.contact.phone_number|(tele)?phones?( (no|nr|num|number))?|telephone|telefon( ?nummer)?|mobile( (no|nr|num|number|phone))?|cell( ?phone)?|tel( (no|nr|num))?|handy( ?nummer)?|msisdn|telefono|landline|whatsapp
user.government_id.us_ssn|ssn|soc(ial)? sec(urity)?( (no|nr|num|number))?|social security.*
user.government_id.passport|passport( (no|nr|num|number))?|reisepass.*|pasaporte
user.government_id.licence|(driver s|drivers|driving|driver) licen[cs]e( (no|nr|num|number))?|licen[cs]e( (no|nr|num|number|id))|certificate (no|nr|num|number)|fuhrerschein.*|dl (no|nr|num|number)
user.government_id|national id( (no|nr|num|number))?|nin|nino|national insurance( .*)?|tax ?id.*|tin|itin|steuer ?(id|nummer).*|aadhaar.*|cpf|curp|dni|nie|nif|bsn|pesel|personnummer|cpr|fodselsnummer|codice fiscale|insee|nir|sin|tfn|citizen (id|no|number)|id card.*|ausweis.*|sozialversicherung.*|svnr|ahv.*
user.health_and_medical.record_id|mrn|medical rec(ord)?( (no|nr|num|number|id))?|(patient|hospital|chart|case) (no|nr|num|number)|patient ?id|pat ?id|nhs ?(no|nr|num|number)|patienten ?(id|nummer)|ehr id
user.health_and_medical.insurance_id|(health )?(insurance|plan|policy|member|beneficiary|subscriber)( (id|no|nr|num|number))|medicare( .*)?|medicaid( .*)?|mbi|hicn|versicherten ?nummer|kvnr|krankenkassen ?nummer
user.health_and_medical.provider_number|npi|dea( (no|number))?|(provider|prescriber) (id|no|npi|number)
user.payment.card_number|(credit|debit|payment)? ?card( (no|nr|num|number))|cc (no|nr|num|number)|ccnum|pan( number)?|credit ?card|kreditkarte.*
user.payment.iban|iban
user.payment.account|(bank )?(account|acct)( (no|nr|num|number|id))|konto ?(nr|nummer)|bank account|routing( number)?|sort code|bic|swift
user.vehicle.vin|vin|vehicle id.*|chassis.*|fahrgestell.*
user.vehicle.plate|(number|licen[cs]e|registration)? ?plate( .*)?|licen[cs]e plate.*|vehicle reg.*|kennzeichen|plaque|matricula
user.device.imei|imei|imsi|meid
user.device.mac_address|mac( (addr|address))?
user.device.ip_address|ip( ?(addr|address|v4|v6))?|(client|remote|source|src|user) ip|ipaddress
user.device.user_agent|user agent|useragent|ua string
user.device.serial|(device|hardware)( (id|no|nr|number|serial))|serial( (no|nr|num|number))?|(pacemaker|implant) (id|no|serial|number)|udi|idfa|gaid|aaid|android id|seriennummer
user.contact.url|url|web ?(site|page)|homepage|profile (url|link)|linkedin|facebook|twitter|instagram
user.unique_id.uuid|uuid|guid
user.biometric|finger ?prints?|iris( scan)?|retina( scan)?|voice ?print|face (print|embedding|vector|encoding)|biometric.*|gait|palm print
user.image|photos?|pictures?|image|portrait|selfie|mug ?shot|avatar|headshot|x ?ray image|bild|foto
user.genetic|genotypes?|genome|dna|snps?|alleles?|brca.*|genetic.*|mutation|variant|haplotype|karyotype
user.demographic.date_of_birth|(date|day) of birth|birth ?(date|day)s?|dob|born( on)?|geburts ?(datum|tag)|geb ?datum|date naissance|date de naissance|fecha (de )?nacimiento|data di nascita|bdate
user.demographic.year_of_birth|(year of birth|birth ?year|yob|geburtsjahr|born year|annee naissance)
user.demographic.age_range|age (group|band|range|bracket|class|cat|category|bin)|altersgruppe|ageband
user.demographic.age|ages?|age (in )?(years|yrs|at .*)|(patient|customer|current|client) age|alter|edad|eta
user.demographic.gender|sex|gender( identity)?|geschlecht|sexe|sexo|genero
user.demographic.marital_status|marital( status)?|marriage( status)?|civil status|familienstand|etat civil|estado civil
user.demographic.race|race|ethnic(ity)?( .*)?|racial.*|ethnie|hautfarbe|skin colou?r|raza
user.demographic.religion|religion|religious.*|faith|church|konfession|denomination|kirche|belief
user.demographic.politics|political.*|politics|(party )?affiliation|party|voted for|vote|partei|ideology
user.demographic.union|(trade |labou?r )?union( .*)?|gewerkschaft.*
user.demographic.sexual_orientation|(sexual )?orientation|sexuality|sex life|sexual.*
user.demographic.nationality|nationality|citizenship|native country|country of (birth|origin)|birth (country|place)|place of birth|staatsangehorigkeit|nationalite|nacionalidad|geburtsort|immigration.*|visa status
user.demographic.language|(native |first |spoken |preferred )?languages?|mother tongue|sprache|langue|idioma
user.demographic.education|education.*|degree|school.*|qualification|bildung.*|highest grade|study level
user.demographic.family|relationship|household.*|family (size|status|members)|(number of |num |no of |n )?(children|kids|dependents|dependants)|parity|siblings|kinder.*
user.demographic.body|height( .*)?|weight( kg| lb| lbs)?|bmi|body mass.*|eye colou?r|hair colou?r|shoe size|grosse|gewicht
user.contact.address.postal_code|zip( ?code)?s?|postal ?code|post ?code|plz|postleitzahl|code postal|codigo postal|cap|pin ?code|zip ?[35]
user.contact.address.street|street.*|(home |mailing |residential |billing |shipping |street |postal )?addr(ess)?( line)?( ?[123])?|house (no|nr|number)|strasse.*|adresse|direccion|hausnummer|apartment|residence
user.contact.address.city|city|town|municipality|village|ort|stadt|wohnort|ville|ciudad|suburb|neighbou?rhood|locality
user.contact.address.county|county|district|parish|borough|ward code|census tract|block group|landkreis|kreis|lsoa|msoa|commune|precinct
user.contact.address.state|state|province|region|bundesland|st abbrev
user.contact.address.country|country( code)?|land|pays|pais
user.location.precise|lat(itude)?|lon|lng|long(itude)?|geo ?(point|location|loc|hash)?|coord(inate)?s?|gps( .*)?|location
user.health_and_medical.diagnosis|diagnos[ei]s.*|(primary |secondary |principal )?diag(nosis)?( ?\\d+)?|dx( ?\\d+)?|icd.*|disease|illness|condition|comorbidit.*|befund|symptoms?|cause of death|problem list|maladie
user.health_and_medical.medication|medications?|medicines?|drugs?( name)?|prescri.*|dosage|dose|treatment|therapy|rx|medikament.*|ndc|atc
user.health_and_medical|health.*|medical.*|hiv.*|aids|pregnan.*|disab.*|blood.*|cholesterol|glucose|hba1c|creatinine|allerg.*|smok.*|alcohol.*|cancer.*|tumou?r.*|test result|lab result|readmi.*|vaccin.*|immuni[sz].*|mental.*|psych.*|procedure|surgery|operation|icu.*|mortality|deceased|died|discharge (status|disposition)|systolic.*|diastolic.*|heart rate|pulse|suicid.*|std|sti|covid.*|krankheit.*|diabet.*
user.criminal_history|crim(e|inal).*|convict.*|arrest.*|offen[cs]e.*|felony|prison.*|sentence|vorstrafen|recidiv.*
user.financial|income.*|salary.*|wages?|earnings|pay( grade| rate)?|gehalt|einkommen|salaire|salario|net worth|capital (gain|loss).*|credit (score|limit|rating|history)|loans?( amount)?|debts?|mortgage|(account )?balance|fico|savings|wealth|tax(es)? paid|benefits|bankrupt.*|cost|charges?|billed( amount)?|default( payment.*)?
user.employment|occupation|job( title)?|profession|employer|employment.*|work ?class|position|beruf|company name|arbeitgeber|industry|metier|hours per week|department
user.name.first|(first|given|fore|middle|christian)( |)names?|fname|vorname|prenom|nombre( de pila)?|nickname|alias|middle initial
user.name.last|(last|family|sur|maiden|second)( |)names?|lname|nachname|familienname|nom( de famille)?|apellidos?|cognome
user.unique_id.account_name|user ?names?|login( name)?|screen ?name|handle|account name|benutzername|twitter handle
user.name|(full|legal|customer|patient|person|employee|client|member|contact|student|teacher|doctor|physician|nurse|author|owner|applicant|voter|guardian|parent|mother s?|father s?|spouse|emergency contact|card ?holder|insured|next of kin|relative) ?names?|fullname|name|names|naam|nombre completo|nom complet|(attending |referring )?(physician|doctor|surgeon)
user.content.free_text|notes?|comments?|remarks?|description|free ?text|narrative|message|body|feedback|review|transcript|summary|text|bemerkung(en)?|notiz(en)?|kommentar|commentaire|observaciones
user.date|.*\\bdate|date.*|.*\\b(admitted|discharged|admission|visited|enrolled|registered|hired|created|updated)( (at|on|date|time))?|timestamp|.*\\b(time|at)|datum|fecha
user.unique_id|(.* )?ids?|(.* )?identifier|(.* )?(no|nr|num|number|key|code|token|hash)|(kunden|patienten|mitglieds?|personal|vertrags|fall|versicherten|versicherungs|matrikel|akten|auftrags|bestell|rechnungs|teilnehmer|probanden)(nr|nummer|id|kennung)|pseudonym.*|subject|participant|record|index|row ?(id|no|num|number)?
"""
# Words that turn the name of an identifier into a fact about one: email_verified, phone_count, is_name_known.
_ABOUT = re.compile(
    r"\b(is|has|flag|verified|valid|validated|opt|optin|count|counts|n|total|length|len|type|types|status|consent|"
    r"confirmed|enabled|allowed|available|missing|known|number of|num of|no of|sent|opened|clicks?|rate|score|ratio|"
    r"percent|pct|avg|mean|min|max|sum)\b"
)


@dataclass(frozen=True, slots=True)
class Hint:
    """What a name says. `about` is set if it speaks of the thing rather than being it: `email_verified`."""

    category: str
    general: bool  # a rule that fits many things, such as "… number"
    about: bool


_GENERAL = frozenset(["user.unique_id", "user.date", "user.content.free_text", "user.location.precise"])
_COMPILED = tuple(
    (
        line.split("|", 1)[0],
        re.compile(f"(?:{line.split('|', 1)[1]})"),
        # Inside a longer name, only whole words count: "primary phone home" is one, "percentage" is not an age.
        re.compile(rf"\b(?:{line.split('|', 1)[1]})\b"),
    )
    for line in _RULES.replace("\\\\", "\\").strip().splitlines()
)
# Single words that mean something else inside longer names.
_WHOLE_ONLY = frozenset(
    [
        "user.unique_id",
        "user.date",
        "user.name",
        "user.content.free_text",
        "user.location.precise",
        "user.contact.address.state",
        "user.demographic.body",
        "user.contact.address.country",
    ]
)


def words_of(name: str) -> str:
    """The words of a column's name in small letters: `PatientDOB_2` gives "patient dob 2"."""
    spread = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    text = "".join(letter for letter in spread if not unicodedata.combining(letter))
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", text)
    return " ".join(re.findall(r"[a-z]+|\d+", text.lower()))


def hint_of(name: str) -> Hint | None:
    """What the name says, or None."""
    words = words_of(name)
    if len(words) > 200:
        return None
    for category, whole, _ in _COMPILED:
        if whole.fullmatch(words):
            return Hint(category, category in _GENERAL, about=False)
    for category, _, inside in _COMPILED:
        if category not in _WHOLE_ONLY and inside.search(words):
            return Hint(category, category in _GENERAL, about=_ABOUT.search(words) is not None)
    return None
