"""Columns of made-up values: what people's data look like, and what only resembles them. Nobody in them exists."""

# ruff: noqa: SIM905, PLC3002  lists of words read best as words

from __future__ import annotations

import datetime
import string

CONSONANT_CODES = "BCDFGHJKLMNPQRSTVWXYZ"
GIVEN = (
    "Oliver Amelia Mateusz Katarzyna Jürgen Sabine Chiara Lorenzo Aarav Saanvi Mohamed Leïla Ingrid Sven Thabo Naledi "
    "Sean Caitlin Hiroshi Yuki Camille Étienne Marta Pedro Anna Thomas Susan Michael Jennifer David Linda Peter Maria"
).split()
FAMILY = (
    "Thompson Kowalczyk Fernández Oyelaran Müller Dubois Rossi Nakamura Petrova Haugen Mbeki Whitaker Ó'Brien Lindgren "
    "Garcia Patel Nguyen Schmidt Johansson Van-Dijk Achterberg Quintero Wang Smith Walker Costa Schneider Evans"
).split()


def luhn_digit(body):
    """Written another way than the code under test: doubled digits from a table."""
    doubled = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9]
    total = sum(doubled[int(d)] if i % 2 == 0 else int(d) for i, d in enumerate(reversed(body)))
    return str((10 - total % 10) % 10)


def digits(draw, many):
    return "".join(draw.choice(string.digits) for _ in range(many))


def letters(draw, many, among=string.ascii_uppercase):
    return "".join(draw.choice(among) for _ in range(many))


def card(draw):
    body = draw.choice(["4", "51", "53", "37"])
    body += digits(draw, (14 if body == "37" else 15) - len(body))
    return body + luhn_digit(body)


def iban(draw):
    bank = digits(draw, 18)
    rest = 98 - int(bank + "131400") % 97
    return f"DE{rest:02d}{bank}"


def birth(draw):
    return datetime.date(1930, 1, 1) + datetime.timedelta(days=draw.randrange(32_000))


def event(draw):
    return datetime.date(2019, 1, 1) + datetime.timedelta(days=draw.randrange(2_000))


def until(draw, make, test):
    """The first made value that passes a test of the code; its truth is checked on published numbers elsewhere."""
    while True:
        value = make(draw)
        if test(value):
            return value


def nhs(draw):
    while True:
        body = digits(draw, 9)
        check = 11 - sum(int(d) * w for d, w in zip(body, range(10, 1, -1), strict=True)) % 11
        if check != 10:
            return body + str(check % 11)


def bsn(draw):
    while True:
        body = str(draw.randrange(10_000_000, 99_999_999))
        rest = sum(int(d) * w for d, w in zip(body, range(9, 1, -1), strict=True)) % 11
        if rest < 10:
            return body + str(rest)


def dni(draw):
    number = draw.randrange(10_000_000, 99_999_999)
    return f"{number}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}"


def person(draw):
    return f"{draw.choice(GIVEN)} {draw.choice(FAMILY)}"


def street(draw):
    name = draw.choice(["Maple", "Old Mill", "Church", "Washington", "Elm", "Harbour View"])
    return f"{draw.randrange(1, 9999)} {name} {draw.choice(['Street', 'St', 'Ave', 'Road', 'Lane', 'Drive'])}"


def note(draw):
    filler = [
        "Seen in clinic today and doing rather well.",
        "No change since the last appointment was made.",
        "Asked to come back in three weeks for a check.",
        "Results were discussed, and questions answered.",
    ]
    inside = [
        f"Call {person(draw)} back under +44 20 7946 0{draw.randrange(100, 999)} please.",
        f"Letter sent to {draw.choice(GIVEN).lower()}{draw.randrange(99)}@example.org as agreed before.",
        f"Mr {draw.choice(FAMILY)} was told about the side effects.",
    ]
    return f"{draw.choice(filler)} {draw.choice(inside + filler)} ({draw.randrange(10**6)})"


def plain_note(draw):
    words = "delivery arrived late and parcel was torn but contents were fine so refund is not needed".split()
    return " ".join(draw.choice(words) for _ in range(12)) + "."


# What it is, an honest name, the role and category it should get, and how a value is made.
POSITIVE = (
    ("names", "full_name", "direct", "user.name", person),
    ("names turned", "customer_name", "direct", "user.name", lambda r: f"{r.choice(FAMILY)}, {r.choice(GIVEN)}"),
    ("e-mail", "email", "direct", "user.contact.email",
     lambda r: f"{r.choice(GIVEN).lower()}.{digits(r, 4)}@{r.choice(['example.org', 'mail.example.com'])}"),
    ("phone US", "phone", "direct", "user.contact.phone_number",
     lambda r: f"({r.randrange(201, 990)}) 555-{r.randrange(10_000):04d}"),
    ("phone abroad", "mobile", "direct", "user.contact.phone_number",
     lambda r: f"+{r.choice([33, 44, 49, 91])} {r.randrange(100, 999)} {r.randrange(10**6, 10**7)}"),
    ("street", "address", "direct", "user.contact.address.street", street),
    ("street DE", "anschrift", "direct", "user.contact.address.street",
     lambda r: f"{r.choice(['Haupt', 'Bahnhof', 'Garten', 'Schiller'])}straße {r.randrange(1, 200)}"),
    ("SSN", "ssn", "direct", "user.government_id.us_ssn",
     lambda r: f"{r.randrange(900, 1000)}-{r.randrange(1, 99):02d}-{r.randrange(1, 9999):04d}"),
    ("NHS", "nhs_number", "direct", None, nhs),
    ("BSN", "bsn", "direct", "user.government_id.nl_bsn", bsn),
    ("DNI", "dni", "direct", "user.government_id.es_dni", dni),
    ("card", "card_number", "direct", "user.payment.card_number", card),
    ("IBAN", "iban", "direct", "user.payment.iban", iban),
    ("IPv4", "client_ip", "direct", "user.device.ip_address",
     lambda r: ".".join(str(r.randrange(1, 255)) for _ in range(4))),
    ("IPv6", "ip_address", "direct", "user.device.ip_address",
     lambda r: "2001:db8:" + ":".join(f"{r.randrange(65536):x}" for _ in range(6))),
    ("MAC", "mac_address", "direct", "user.device.mac_address",
     lambda r: ":".join(f"{r.randrange(256):02x}" for _ in range(6))),
    ("URL", "profile_url", "direct", "user.contact.url",
     lambda r: f"https://example.org/u/{r.choice(GIVEN).lower()}{r.randrange(999)}"),
    ("UUID", "uuid", "direct", "user.unique_id.uuid",
     lambda r: "-".join(letters(r, n, "0123456789abcdef") for n in (8, 4, 4, 4, 12))),
    ("hash", "email_hash", "direct", None, lambda r: letters(r, 64, "0123456789abcdef")),
    ("IMEI", "imei", "direct", "user.device.imei",
     lambda r: (lambda body: body + luhn_digit(body))("35" + digits(r, 12))),
    ("birth", "date_of_birth", "quasi", "user.demographic.date_of_birth", lambda r: birth(r).isoformat()),
    ("birth DE", "geburtsdatum", "quasi", "user.demographic.date_of_birth", lambda r: birth(r).strftime("%d.%m.%Y")),
    ("birth mixed", "dob", "quasi", "user.demographic.date_of_birth",
     lambda r: birth(r).strftime(r.choice(["%Y-%m-%d", "%m/%d/%Y", "%d.%m.%Y", "%d %b %Y", "%Y%m%d"]))),
    ("event", "visit_date", "quasi", "user.date", lambda r: event(r).isoformat()),
    ("postcode UK", "postcode", "quasi", "user.contact.address.postal_code",
     lambda r: f"{r.choice(['SW', 'M', 'LS', 'EH', 'CF'])}{r.randrange(1, 20)} {r.randrange(1, 9)}{letters(r, 2, 'ABDEFGHJLNPQ')}"),
    ("zip text", "zip", "quasi", "user.contact.address.postal_code", lambda r: f"{r.randrange(5, 180) * 531:05d}"),
    ("coordinates", "coordinates", "quasi", "user.location.precise",
     lambda r: f"{r.uniform(-60, 70):.5f}, {r.uniform(-170, 170):.5f}"),
    ("town", "city", "quasi", "user.contact.address.city",
     lambda r: r.choice("Berlin|Hamburg|Leeds|Paris|Lyon|Madrid|Chicago|Boston|Denver|Pune|Gdynia|Bruges|Reims".split("|"))),
    ("country", "country", "quasi", "user.contact.address.country",
     lambda r: r.choice("Germany|France|Spain|Italy|Poland|India|Brazil|Kenya|Bhutan".split("|"))),
    ("sex", "sex", "quasi", "user.demographic.gender", lambda r: r.choice("FM")),
    ("sex words", "gender", "quasi", "user.demographic.gender", lambda r: r.choice(["female", "male", "other"])),
    ("marital", "marital_status", "quasi", "user.demographic.marital_status",
     lambda r: r.choice(["single", "married", "divorced", "widowed"])),
    ("race", "ethnicity", "quasi", "user.demographic.race",
     lambda r: r.choice(["White", "Black or African American", "Asian", "Hispanic", "Two or more races"])),
    ("religion", "religion", "sensitive", "user.demographic.religion",
     lambda r: r.choice(["Catholic", "Protestant", "Muslim", "Jewish", "Hindu", "Atheist"])),
    ("party", "party", "sensitive", "user.demographic.politics",
     lambda r: r.choice(["Democrat", "Republican", "Libertarian", "Green Party"])),
    ("orientation", "sexual_orientation", "sensitive", "user.demographic.sexual_orientation",
     lambda r: r.choice(["heterosexual", "homosexual", "bisexual"])),
    ("ICD", "diagnosis", "sensitive", "user.health_and_medical.diagnosis",
     lambda r: f"{r.choice('ABCEGIJKNS')}{r.randrange(100):02d}.{r.randrange(10)}"),
    ("illness", "condition", "sensitive", "user.health_and_medical.diagnosis",
     lambda r: r.choice(["Type 2 diabetes", "Asthma", "Lung cancer", "HIV infection", "Depression", "Stroke", "Migraine"])),
    ("drug", "medication", "sensitive", "user.health_and_medical.medication",
     lambda r: r.choice(["metformin", "atorvastatin 20 mg", "lisinopril", "amoxicillin", "omeprazole", "insulin glargine"])),
    ("variants", "snp", "sensitive", "user.genetic", lambda r: f"rs{r.randrange(1000, 10**8)}"),
    ("notes", "notes", "free text", "user.content.private", note),
    ("plain notes", "comment", "free text", "user.content.free_text", plain_note),
    ("VIN", "vin", "direct", "user.vehicle.vin",
     lambda r: letters(r, 3, "WVZ1") + letters(r, 9, "ABCDEFGHJKLMNPRSTUVWXYZ0123456789") + digits(r, 5)),
    ("user agent", "user_agent", "quasi", "user.device.user_agent",
     lambda r: f"Mozilla/5.0 (X11; Linux x86_64; rv:{r.randrange(90, 140)}.0) Gecko/20100101 Firefox/{r.randrange(90, 140)}.0"),
    ("picture", "photo", "direct", "user.image", lambda r: f"scans/{r.randrange(10**7)}.jpg"),
)  # fmt: skip

# By name only: the values could be anything.
NAMED = (
    ("age", "age", "quasi", "user.demographic.age", lambda r: r.randrange(18, 90)),
    ("zip number", "zip", "quasi", "user.contact.address.postal_code", lambda r: r.randrange(10_000, 99_999)),
    ("record", "mrn", "direct", "user.health_and_medical.record_id", lambda r: r.randrange(10**6, 10**7)),
    ("plan", "member_id", "direct", "user.health_and_medical.insurance_id", lambda r: f"Q{digits(r, 8)}"),
    ("account", "account_number", "direct", "user.payment.account", lambda r: r.randrange(10**7, 10**8)),
    ("licence", "drivers_license", "direct", "user.government_id.licence", lambda r: letters(r, 1) + digits(r, 7)),
    ("serial", "serial_number", "direct", "user.device.serial", lambda r: letters(r, 2) + digits(r, 8)),
    ("fax", "fax", "direct", "user.contact.fax_number", lambda r: f"212-555-{digits(r, 4)}"),
    ("passport", "passport_no", "direct", "user.government_id.passport", lambda r: letters(r, 1) + digits(r, 8)),
    ("bare ssn", "SSN", "direct", "user.government_id.us_ssn", lambda r: r.randrange(10**8, 9 * 10**8)),
    ("bare phone", "PhoneNumber", "direct", "user.contact.phone_number", lambda r: r.randrange(2012000000, 9899999999)),
    ("salary", "salary", "sensitive", "user.financial", lambda r: r.randrange(20_000, 200_000)),
    ("latitude", "lat", "quasi", "user.location.precise", lambda r: round(r.uniform(-90, 90), 6)),
    ("birth year", "birth_year", "quasi", "user.demographic.year_of_birth", lambda r: r.randrange(1930, 2010)),
    ("first", "first_name", "direct", "user.name.first", lambda r: r.choice(["Xolani", "Tuğba", "Þór", "Siobhán", "Kwabena"]) + letters(r, 2, "aeio")),
    ("user name", "username", "direct", "user.unique_id.account_name", lambda r: letters(r, 6, string.ascii_lowercase) + digits(r, 2)),
    ("hiv", "hiv_positive", "sensitive", "user.health_and_medical", lambda r: r.random() < 0.1),
    ("union", "union_member", "sensitive", "user.demographic.union", lambda r: r.random() < 0.3),
    ("religion code", "religion", "sensitive", "user.demographic.religion", lambda r: r.randrange(1, 9)),
    ("job", "occupation", "quasi", "user.employment", lambda r: r.choice(["cooper", "fletcher", "wainwright", "chandler"])),
)  # fmt: skip

# Nothing personal. The second word is a harmless name; some would resemble personal data to a careless eye.
NEGATIVE = (
    ("16 digits", "reading", lambda r: (lambda b: b + str((int(luhn_digit(b)) + r.randrange(1, 10)) % 10))("4" + digits(r, 14))),
    ("plain numbers", "quantity", lambda r: r.randrange(0, 50)),
    ("larger numbers", "views", lambda r: int(10 ** r.uniform(0, 6))),
    ("years", "year", lambda r: r.randrange(1990, 2025)),
    ("zip-like prices", "price", lambda r: r.randrange(100, 999) * 100),
    ("prices", "amount", lambda r: round(r.uniform(1, 999), 2)),
    ("measurements", "sensor", lambda r: r.gauss(50, 10)),
    ("shares", "ratio", lambda r: r.random()),
    ("percentages", "percent", lambda r: r.randrange(0, 101)),
    ("temperatures", "temperature", lambda r: round(r.gauss(20, 5), 1)),
    ("colours", "colour", lambda r: r.choice("Red Green Blue White Black Brown Gray Yellow".split())),
    ("products", "product", lambda r: f"{r.choice('Green White Black Oak Steel'.split())} {r.choice('Lamp Chair Table Desk'.split())}"),
    ("status", "status", lambda r: r.choice(["open", "closed", "pending", "shipped"])),
    ("versions", "version", lambda r: f"{r.randrange(9)}.{r.randrange(20)}.{r.randrange(99)}"),
    ("sizes", "size", lambda r: r.choice(["XS", "S", "M", "L", "XL", "XXL"])),
    ("weekdays", "weekday", lambda r: r.choice("Monday Tuesday Wednesday Thursday Friday".split())),
    ("currencies", "currency", lambda r: r.choice("EUR USD GBP JPY CHF SEK".split())),
    ("flags", "active", lambda r: r.random() < 0.5),
    ("verified", "email_verified", lambda r: r.random() < 0.5),
    ("http", "http_status", lambda r: r.choice([200, 301, 404, 500])),
    ("grades", "grade", lambda r: r.choice("ABCDE")),
    ("tickets", "queue", lambda r: r.choice(["Q1", "Q2", "Q3", "Q4"])),
    ("fruit", "fruit", lambda r: r.choice("apple banana cherry damson elderberry fig grape".split())),
    ("pages", "page_number", lambda r: r.randrange(1, 300)),
    ("phones had", "phone_count", lambda r: r.randrange(0, 4)),
    ("articles", "article", lambda r: f"SKU-{r.randrange(100, 160)}"),
    ("durations", "duration", lambda r: f"{r.randrange(0, 59):02d}:{r.randrange(0, 59):02d}"),
    ("sequences", "part", lambda r: f"{r.randrange(1, 40)}/{r.randrange(40, 60)}"),
    ("formula", "formula", lambda r: r.choice(["H2O", "NaCl", "CO2", "CH4", "C6H12O6"])),
    ("ten digits", "counter", lambda r: r.randrange(10**9, 10**10) // 7 * 7 % (10**6)),
)  # fmt: skip
MISLEADING = ("x7", "product_code", "quantity", "colour", "misc", "field_12")
