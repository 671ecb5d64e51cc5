"""Who a person is: names, sex, ages, and the words of a census."""
# ruff: noqa: SIM905  lists of words read best as words

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from privet.audits.columns._column_evidence import Detector
from privet.audits.columns._common_names import FAMILY, GIVEN, TITLES

_NAME = re.compile(r"[^\W\d_]+(?:[-'’.][^\W\d_]+)*\.?(?:,? [^\W\d_]+(?:[-'’.][^\W\d_]+)*\.?){0,4}")
_BAND = re.compile(
    r"\[?\(?\d{1,3} ?(?:-|–|to|bis|,) ?\d{1,3}\)?\]?|(?:[<>≤≥]=?|under|over) ?\d{1,3}|\d{1,3} ?(?:\+|and over|or older)"
)

# Family names that are common words too: in "Green Lamp" they name nobody.
_ALSO_WORDS = frozenset(
    "black white green brown gray stone wood woods young long king rice bell hill west fox wolf park price ward grant "
    "hunt hunter cook baker rose ray ford mason south cross may summer sun lin lang de da van knight freeman hart "
    "spencer sales mark page will bill pat rich art robin grace gloria ava max leo jean victoria florence".split()
)


def plain_word(text: str) -> str:
    """In small letters and without accents."""
    spread = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in spread if not unicodedata.combining(letter))


def name_words(text: str) -> list[str]:
    """The words of something that could be a name, without titles and initials; empty if it could not."""
    if not 2 <= len(text) <= 60 or not _NAME.fullmatch(text):
        return []
    words = [plain_word(word) for word in re.split(r"[ ,.'’-]+", text) if word]
    return [word for word in words if len(word) > 1 and word not in TITLES]


def is_name(text: str) -> bool:
    """Two to five words, one of which many people are called by."""
    words = name_words(text)
    return 2 <= len(words) <= 5 and any(
        (word in GIVEN or word in FAMILY) and word not in _ALSO_WORDS for word in words
    )


def is_given(text: str) -> bool:
    """One word (or a double name) that is a common given name."""
    words = name_words(text)
    return 1 <= len(words) <= 2 and all(word in GIVEN for word in words) and not _capital_code(text)


def is_family(text: str) -> bool:
    """One word (or a double name) that is a common family name."""
    words = name_words(text)
    return 1 <= len(words) <= 2 and all(word in FAMILY for word in words) and not _capital_code(text)


def _capital_code(text: str) -> bool:
    return len(text) <= 3 and text.isupper()


def is_age_band(text: str) -> bool:
    """A range of whole numbers below 130, as bands of age are written; bands of anything else look alike."""
    return _BAND.fullmatch(text) is not None and all(int(part) < 130 for part in re.findall(r"\d+", text))


def _one_of(words: str) -> frozenset[str]:
    return frozenset(part.strip() for part in words.split("|"))


_SEX = _one_of(
    "f|m|x|d|w|female|male|woman|man|women|men|girl|boy|weiblich|männlich|maennlich|divers|femme|homme|mujer|hombre|"
    "femenino|masculino|femminile|maschile|non-binary|nonbinary|non binary|diverse|intersex|trans|transgender"
)
_MARITAL = _one_of(
    "single|married|divorced|widowed|separated|never married|never-married|married-civ-spouse|married-af-spouse|"
    "married-spouse-absent|civil partnership|domestic partnership|cohabiting|widow|widower|ledig|verheiratet|"
    "geschieden|verwitwet|célibataire|marié|mariée|divorcé|divorcée|veuf|veuve|soltero|soltera|casado|casada|"
    "divorciado|divorciada|viudo|viuda|in a relationship|engaged|registered partnership"
)
_RACE = _one_of(
    "white|black|asian|hispanic|latino|latina|latinx|caucasian|african american|african-american|native american|"
    "american indian|american indian or alaska native|amer-indian-eskimo|asian-pac-islander|asian or pacific islander|"
    "pacific islander|native hawaiian|native hawaiian or other pacific islander|black or african american|"
    "hispanic or latino|not hispanic or latino|non-hispanic|two or more races|multiracial|mixed|mixed race|biracial|"
    "white british|white irish|white other|black african|black caribbean|south asian|east asian|middle eastern|arab|"
    "indian|pakistani|bangladeshi|roma|romani|gypsy or irish traveller|aboriginal|torres strait islander|māori|maori"
)
_RELIGION = _one_of(
    "christian|christianity|catholic|roman catholic|protestant|orthodox|anglican|lutheran|baptist|methodist|mormon|"
    "jehovah's witness|muslim|islam|sunni|shia|jewish|judaism|hindu|hinduism|buddhist|buddhism|sikh|sikhism|jain|"
    "bahai|taoist|shinto|pagan|atheist|agnostic|no religion|evangelisch|römisch-katholisch|konfessionslos|"
    "catholique|musulman|juif|athée|católico|ateo|zoroastrian|quaker|pentecostal"
)
_POLITICS = _one_of(
    "democrat|democratic|republican|libertarian|green party|greens|labour|conservative|tory|liberal democrat|snp|"
    "plaid cymru|ukip|reform uk|cdu|csu|spd|fdp|afd|die linke|die grünen|bündnis 90/die grünen|socialist|communist|"
    "social democrat|liberal|left-wing|right-wing|far right|far left|centrist|parti socialiste|rassemblement national|"
    "psoe|podemos|vox|bjp|congress party|liberal party|ndp|bloc québécois|independent voter|registered democrat|"
    "registered republican"
)
_ORIENTATION = _one_of(
    "heterosexual|homosexual|bisexual|gay|lesbian|straight|asexual|pansexual|queer|heterosexuell|homosexuell|"
    "bisexuell|msm|straight or heterosexual|gay or lesbian"
)
_EDUCATION = _one_of(
    "primary|secondary|tertiary|high school|hs-grad|high school graduate|some college|some-college|college|bachelor|"
    "bachelors|bachelor's|bachelor's degree|master|masters|master's|master's degree|doctorate|phd|ph.d.|prof-school|"
    "professional degree|assoc-voc|assoc-acdm|associate|associate degree|preschool|1st-4th|5th-6th|7th-8th|9th|10th|"
    "11th|12th|less than high school|no schooling|vocational|apprenticeship|abitur|realschule|hauptschule|gymnasium|"
    "licence|baccalauréat|undergraduate|postgraduate|graduate|gcse|a-level|university|ged"
)
_WORK = _one_of(
    "private|self-emp-not-inc|self-emp-inc|federal-gov|local-gov|state-gov|without-pay|never-worked|employed|unemployed|"
    "self-employed|self employed|retired|student|homemaker|full-time|part-time|full time|part time|exec-managerial|"
    "prof-specialty|craft-repair|adm-clerical|sales|other-service|machine-op-inspct|transport-moving|"
    "handlers-cleaners|farming-fishing|tech-support|protective-serv|priv-house-serv|armed-forces|teacher|nurse|"
    "engineer|doctor|physician|lawyer|accountant|manager|electrician|plumber|carpenter|mechanic|cashier|clerk|chef|"
    "cook|waiter|waitress|driver|farmer|firefighter|police officer|pilot|pharmacist|dentist|architect|journalist|"
    "librarian|scientist|software engineer|software developer|programmer|analyst|consultant|secretary|receptionist|"
    "social worker|janitor|cleaner|security guard|hairdresser|salesperson|professor|veterinarian|surgeon|paralegal"
)
_FAMILY_WORDS = _one_of(
    "husband|wife|own-child|not-in-family|other-relative|unmarried|spouse|child|parent|son|daughter|mother|father|"
    "brother|sister|grandparent|partner|head of household|householder|roommate|daughter-in-law|son-in-law|grandchild"
)


def _among(words: frozenset[str]) -> Callable[[str], bool]:
    return lambda text: text.casefold().strip(" .") in words


DETECTORS = (
    Detector("user.name", is_name, chance=0.05, typical=0.75, says="are made like"),
    Detector("user.name.first", is_given, chance=0.05, typical=0.6, says="are among common"),
    Detector("user.name.last", is_family, chance=0.05, typical=0.6, says="are among common"),
    Detector("user.demographic.age_range", is_age_band, chance=0.5, needs_name=True),
    *(
        Detector(category, _among(words), chance=chance, typical=0.9, says="are usual words for")
        for category, words, chance in (
            ("user.demographic.gender", _SEX, 0.1),
            ("user.demographic.marital_status", _MARITAL, 0.05),
            ("user.demographic.race", _RACE, 0.05),
            ("user.demographic.religion", _RELIGION, 0.03),
            ("user.demographic.politics", _POLITICS, 0.03),
            ("user.demographic.sexual_orientation", _ORIENTATION, 0.03),
            ("user.demographic.education", _EDUCATION, 0.1),
            ("user.employment", _WORK, 0.1),
            ("user.demographic.family", _FAMILY_WORDS, 0.05),
        )
    ),
)
