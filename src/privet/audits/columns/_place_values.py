"""Where people live: postal codes, towns, states, countries, coordinates."""
# ruff: noqa: SIM905  lists of words read best as words

from __future__ import annotations

import re

from privet.audits.columns._column_evidence import Detector

_POSTAL = re.compile(
    r"(?:GIR ?0AA|[A-PR-UWYZ](?:\d{1,2}|[A-HK-Y]\d{1,2}|\d[A-HJKPSTUW]|[A-HK-Y]\d[ABEHMNPRV-Y]) ?\d[ABD-HJLNP-UW-Z]{2})"  # UK
    r"|[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z] ?\d[ABCEGHJ-NPRSTV-Z]\d"  # Canada
    r"|[1-9]\d{3} ?(?!SA|SD|SS)[A-Z]{2}"  # Netherlands
    r"|[ACDEFHKNPRTVWXY]\d[\dW] [ACDEFHKNPRTVWXY\d]{4}"  # Ireland
    r"|\d{5}-\d{4}|\d{5}-\d{3}|\d{3}-\d{4}|\d{2}-\d{3}|\d{4}-\d{3}|\d{3} \d{2}"  # USA +4, Brazil, Japan, Poland, Portugal, Sweden
    r"|[A-Z]{1,2}-\d{4,5}"  # with the country before it
)
_PAIR = re.compile(r"\(?\[?([-+]?\d{1,2}(?:\.\d{2,})?)°?[,; ] ?([-+]?\d{1,3}(?:\.\d{2,})?)°?\]?\)?")
_ANGLES = re.compile(r"\d{1,3}°\d{1,2}['′](?:\d{1,2}(?:\.\d+)?[\"″])?[NSEW].*")
_POINT = re.compile(r"POINT ?\([-+.\d]+ [-+.\d]+\)", re.IGNORECASE)


def is_written_postal_code(text: str) -> bool:
    """A code whose letters and signs tell it from a number."""
    return _POSTAL.fullmatch(text.upper()) is not None


def is_bare_postal_code(text: str) -> bool:
    """Four to six digits, as half of the world has them."""
    return re.fullmatch(r"\d{4,6}", text) is not None


def is_coordinates(text: str) -> bool:
    """Latitude and longitude together."""
    if _POINT.fullmatch(text) or _ANGLES.fullmatch(text):
        return True
    found = _PAIR.fullmatch(text)
    return (
        found is not None
        and "." in found[1]
        and "." in found[2]
        and abs(float(found[1])) <= 90
        and abs(float(found[2])) <= 180
    )


_STATES = frozenset(
    (
        "alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|florida|georgia|hawaii|idaho|illinois|"
        "indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts|michigan|minnesota|mississippi|missouri|"
        "montana|nebraska|nevada|new hampshire|new jersey|new mexico|new york|north carolina|north dakota|ohio|oklahoma|"
        "oregon|pennsylvania|rhode island|south carolina|south dakota|tennessee|texas|utah|vermont|virginia|washington|"
        "west virginia|wisconsin|wyoming|district of columbia|puerto rico|ontario|quebec|québec|british columbia|alberta|"
        "manitoba|saskatchewan|nova scotia|new brunswick|bayern|baden-württemberg|hessen|sachsen|niedersachsen|"
        "nordrhein-westfalen|rheinland-pfalz|thüringen|brandenburg|saarland|schleswig-holstein|new south wales|"
        "queensland|tasmania|south australia|western australia|england|scotland|wales|northern ireland|maharashtra|"
        "karnataka|tamil nadu|kerala|gujarat|punjab|rajasthan|andalucía|cataluña|galicia|lombardia|toscana|sicilia"
    ).split("|")
)
_STATE_CODES = frozenset(
    (
        "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR "
        "PA RI SC SD TN TX UT VT VA WA WV WI WY DC PR"
    ).split()
)
_COUNTRIES = frozenset(
    (
        "afghanistan|albania|algeria|argentina|armenia|australia|austria|azerbaijan|bangladesh|belarus|belgium|bolivia|"
        "bosnia and herzegovina|brazil|bulgaria|cambodia|cameroon|canada|chile|china|colombia|columbia|costa rica|croatia|"
        "cuba|cyprus|czech republic|czechia|denmark|dominican republic|dominican-republic|ecuador|egypt|el salvador|"
        "el-salvador|england|eritrea|estonia|ethiopia|finland|france|georgia|germany|ghana|greece|guatemala|haiti|"
        "holand-netherlands|honduras|hong|hong kong|hungary|iceland|india|indonesia|iran|iraq|ireland|israel|italy|"
        "ivory coast|jamaica|japan|jordan|kazakhstan|kenya|korea|kuwait|laos|latvia|lebanon|libya|lithuania|luxembourg|"
        "malaysia|mali|malta|mexico|moldova|mongolia|morocco|mozambique|myanmar|nepal|netherlands|new zealand|nicaragua|"
        "nigeria|north macedonia|norway|outlying-us(guam-usvi-etc)|pakistan|panama|paraguay|peru|philippines|poland|"
        "portugal|puerto-rico|qatar|romania|russia|russian federation|rwanda|saudi arabia|scotland|senegal|serbia|"
        "singapore|slovakia|slovenia|somalia|south|south africa|south korea|spain|sri lanka|sudan|sweden|switzerland|"
        "syria|taiwan|tanzania|thailand|trinadad&tobago|tunisia|turkey|türkiye|uganda|ukraine|united arab emirates|"
        "united kingdom|united states|united states of america|united-states|uruguay|usa|uk|uzbekistan|venezuela|"
        "vietnam|viet nam|yemen|yugoslavia|zambia|zimbabwe|deutschland|österreich|schweiz|frankreich|italien|spanien|"
        "polen|niederlande|allemagne|espagne|italie|suisse|alemania|españa|francia|méxico"
    ).split("|")
)
_TOWNS = frozenset(
    (
        "new york|los angeles|chicago|houston|phoenix|philadelphia|san antonio|san diego|dallas|san jose|austin|"
        "jacksonville|fort worth|columbus|charlotte|indianapolis|san francisco|seattle|denver|boston|el paso|nashville|"
        "detroit|oklahoma city|portland|las vegas|memphis|louisville|baltimore|milwaukee|albuquerque|tucson|fresno|"
        "sacramento|kansas city|atlanta|omaha|colorado springs|raleigh|miami|long beach|virginia beach|oakland|"
        "minneapolis|tulsa|tampa|arlington|new orleans|wichita|cleveland|honolulu|pittsburgh|cincinnati|st. louis|"
        "saint paul|newark|orlando|buffalo|boise|richmond|spokane|rochester|salt lake city|springfield|london|"
        "birmingham|manchester|leeds|liverpool|glasgow|edinburgh|bristol|sheffield|cardiff|belfast|leicester|nottingham|"
        "newcastle|dublin|cork|paris|marseille|lyon|toulouse|nice|nantes|strasbourg|bordeaux|lille|berlin|hamburg|"
        "münchen|munich|köln|cologne|frankfurt|stuttgart|düsseldorf|leipzig|dortmund|essen|bremen|dresden|hannover|"
        "nürnberg|bonn|wien|vienna|graz|linz|salzburg|zürich|zurich|geneva|genf|basel|bern|madrid|barcelona|valencia|"
        "sevilla|seville|zaragoza|málaga|bilbao|lisbon|lisboa|porto|rome|roma|milan|milano|naples|napoli|turin|torino|"
        "palermo|bologna|florence|firenze|amsterdam|rotterdam|utrecht|the hague|den haag|brussels|bruxelles|antwerp|"
        "gent|copenhagen|aarhus|stockholm|gothenburg|göteborg|malmö|oslo|bergen|helsinki|warsaw|warszawa|kraków|łódź|"
        "wrocław|gdańsk|prague|praha|brno|budapest|bucharest|sofia|athens|istanbul|ankara|izmir|moscow|saint petersburg|"
        "kyiv|kiev|tokyo|osaka|kyoto|yokohama|beijing|shanghai|shenzhen|guangzhou|hong kong|seoul|busan|taipei|mumbai|"
        "delhi|new delhi|bangalore|bengaluru|chennai|hyderabad|kolkata|pune|karachi|lahore|dhaka|jakarta|manila|bangkok|"
        "singapore|sydney|melbourne|brisbane|perth|adelaide|auckland|wellington|toronto|montreal|montréal|vancouver|"
        "calgary|ottawa|edmonton|winnipeg|mexico city|guadalajara|monterrey|bogotá|medellín|lima|santiago|buenos aires|"
        "são paulo|rio de janeiro|cairo|lagos|nairobi|johannesburg|cape town|casablanca|accra|addis ababa|tel aviv|dubai"
    ).split("|")
)


def is_state(text: str) -> bool:
    """A state or province by name, or a US state by its two letters."""
    return text.casefold() in _STATES or text in _STATE_CODES


DETECTORS = (
    Detector("user.contact.address.postal_code", is_written_postal_code, chance=0.05),
    Detector("user.contact.address.postal_code", is_bare_postal_code, chance=0.9, needs_name=True),
    Detector("user.location.precise", is_coordinates, chance=0.005),
    Detector("user.contact.address.state", is_state, chance=0.08, says="are among"),
    Detector("user.contact.address.country", lambda text: text.casefold() in _COUNTRIES, chance=0.05, typical=0.85, says="are among"),
    Detector("user.contact.address.city", lambda text: text.casefold() in _TOWNS, chance=0.05, typical=0.5, says="are among large"),
)  # fmt: skip
