"""The categories of personal data that columns are sorted into.

Keys have the dotted form that data catalogues use (in the manner of the fideslang taxonomy: the part before a dot
holds the part after it). Each category knows what its columns can do to a person, which of the identifiers of
45 CFR 164.514(b)(2)(i) (HIPAA Safe Harbor, letters A to R) it is, which article of the GDPR protects it specially
(9: special categories, 10: criminal convictions), and what it may reveal that it does not say.

Nothing here is called insensitive: what is not recognised is *unknown*, and only a person can say that it is harmless.
"""

from __future__ import annotations

from dataclasses import dataclass

DIRECT, QUASI, SENSITIVE, INSENSITIVE, FREE_TEXT = "direct", "quasi", "sensitive", "insensitive", "free text"
ROLES = (DIRECT, QUASI, SENSITIVE, INSENSITIVE, FREE_TEXT)  # what the owner may state
UNKNOWN = "unknown"  # what a finding says where nothing was recognised: such columns are withheld until somebody knows

SAFE_HARBOR = {
    "A": "names",
    "B": "places smaller than a state",
    "C": "dates, and ages over 89",
    "D": "telephone numbers",
    "E": "fax numbers",
    "F": "e-mail addresses",
    "G": "social security numbers",
    "H": "medical record numbers",
    "I": "health plan numbers",
    "J": "account numbers",
    "K": "certificate and licence numbers",
    "L": "vehicle identifiers and plates",
    "M": "device identifiers and serial numbers",
    "N": "web addresses",
    "O": "IP addresses",
    "P": "biometric identifiers",
    "Q": "photographs of faces",
    "R": "any other unique number, characteristic or code",
}


@dataclass(frozen=True, slots=True)
class Category:
    """A kind of personal data."""

    key: str
    label: str  # what the values are called in a sentence, in the plural
    role: str
    hipaa: str | None = None
    article: int | None = None  # of the GDPR: 9 or 10
    reveals: str | None = None  # what a column may tell without saying so

    @property
    def special(self) -> bool:
        """Whether Art. 9(1) GDPR lists it."""
        return self.article == 9


# key | label | role | Safe Harbor letter | article of the GDPR | what it may reveal
_LISTED = """
user.name|names of persons|direct|A||sex and ethnic origin
user.name.first|given names|direct|A||sex and ethnic origin
user.name.last|family names|direct|A||ethnic origin
user.contact.email|e-mail addresses|direct|F||
user.contact.phone_number|telephone numbers|direct|D||
user.contact.fax_number|fax numbers|direct|E||
user.contact.url|web addresses|direct|N||
user.contact.address.street|street addresses|direct|B||
user.contact.address.city|towns|quasi|B||
user.contact.address.county|counties or districts|quasi|B||
user.contact.address.postal_code|postal codes|quasi|B||
user.contact.address.state|states or provinces|quasi|||
user.contact.address.country|countries|quasi|||
user.location.precise|coordinates|quasi|B||belief, health and habits
user.government_id.us_ssn|US social security numbers|direct|G||
user.government_id.uk_nino|UK national insurance numbers|direct|R||
user.government_id.de_tax_id|German tax numbers|direct|R||
user.government_id.fr_insee|French INSEE numbers|direct|R||
user.government_id.es_dni|Spanish DNI or NIE numbers|direct|R||
user.government_id.it_codice_fiscale|Italian tax codes|direct|R||
user.government_id.nl_bsn|Dutch citizen numbers|direct|R||
user.government_id.pl_pesel|Polish PESEL numbers|direct|R||
user.government_id.se_personnummer|Swedish personal numbers|direct|R||
user.government_id.fi_hetu|Finnish personal codes|direct|R||
user.government_id.be_national|Belgian national numbers|direct|R||
user.government_id.ch_ahv|Swiss AHV numbers|direct|R||
user.government_id.in_aadhaar|Indian Aadhaar numbers|direct|R||
user.government_id.in_pan|Indian PAN numbers|direct|R||
user.government_id.br_cpf|Brazilian CPF numbers|direct|R||
user.government_id.cn_resident|Chinese resident numbers|direct|R||
user.government_id.ca_sin|Canadian social insurance numbers|direct|R||
user.government_id.au_tfn|Australian tax file numbers|direct|R||
user.government_id.mx_curp|Mexican CURP codes|direct|R||
user.government_id|national or tax numbers|direct|R||
user.government_id.passport|passport numbers|direct|R||
user.government_id.licence|certificate or licence numbers|direct|K||
user.health_and_medical.provider_number|numbers of health professionals|direct|K||
user.health_and_medical.record_id|medical record numbers|direct|H||
user.health_and_medical.insurance_id|health plan numbers|direct|I||health
user.health_and_medical.uk_nhs|UK NHS numbers|direct|I||
user.payment.card_number|payment card numbers|direct|J||
user.payment.iban|bank accounts (IBAN)|direct|J||
user.payment.account|account numbers|direct|J||
user.vehicle.vin|vehicle identification numbers|direct|L||
user.vehicle.plate|number plates|direct|L||
user.device.imei|telephone hardware numbers (IMEI)|direct|M||
user.device.mac_address|hardware addresses (MAC)|direct|M||
user.device.serial|device identifiers or serial numbers|direct|M||
user.device.ip_address|IP addresses|direct|O||
user.device.user_agent|browser identifications|quasi|||
user.unique_id|unique identifiers|direct|R||
user.unique_id.uuid|universal identifiers (UUID)|direct|R||
user.unique_id.pseudonymous|hashes or tokens in the place of an identifier|direct|R||
user.unique_id.account_name|user names|direct|R||
user.authorization.credentials|passwords or keys|direct|||
user.biometric|biometric identifiers|direct|P|9|
user.image|photographs|direct|Q||ethnic origin, belief and health
user.genetic|genetic data|sensitive||9|
user.demographic.date_of_birth|dates of birth|quasi|C||
user.demographic.year_of_birth|years of birth|quasi|||
user.demographic.age|ages|quasi|C||
user.demographic.age_range|age bands|quasi|||
user.demographic.gender|sex or gender|quasi|||
user.demographic.marital_status|marital status|quasi|||sexual orientation
user.demographic.family|family and household|quasi|||
user.demographic.education|education|quasi|||
user.demographic.nationality|nationality or country of birth|quasi|||ethnic origin
user.demographic.language|languages|quasi|||ethnic origin
user.demographic.race|racial or ethnic origin|quasi||9|
user.demographic.religion|religious or philosophical belief|sensitive||9|
user.demographic.politics|political opinion|sensitive||9|
user.demographic.union|trade union membership|sensitive||9|
user.demographic.sexual_orientation|sex life or sexual orientation|sensitive||9|
user.demographic.body|height and weight|quasi|||health
user.employment|occupation and employer|quasi|||
user.financial|money of a person|sensitive|||
user.criminal_history|criminal record|sensitive||10|
user.health_and_medical|health|sensitive||9|
user.health_and_medical.diagnosis|diagnoses|sensitive||9|
user.health_and_medical.medication|medication|sensitive||9|
user.date|dates about a person|quasi|C||
user.content.free_text|free text|free text|||anything
user.content.private|free text with personal data inside|free text|R||anything
other|nothing personal that is recognised|unknown|||
"""


def _read(line: str) -> Category:
    key, label, role, letter, article, reveals = line.split("|")
    return Category(key, label, role, letter or None, int(article) if article else None, reveals or None)


CATEGORIES = {one.key: one for one in map(_read, _LISTED.strip().splitlines())}
OTHER = CATEGORIES["other"]
