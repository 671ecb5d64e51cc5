"""One small table of patients with headings in many languages: 300 people of two rows each, ten columns.

Values are as they would be there: names in their script, telephone numbers and postal codes in their forms. Religion is
coded (r1 to r3), so that only its heading tells. Nobody in it exists.
"""

# ruff: noqa: SIM905  lists of words read best as words

from __future__ import annotations

import datetime
import random

import pyarrow as pa

ROLES = (
    "direct",  # patient number
    "direct",  # name
    "quasi",  # sex
    "quasi",  # age
    "quasi",  # postal code
    "direct",  # telephone
    "sensitive",  # diagnosis
    "sensitive",  # religion
    "sensitive",  # salary
    "quasi",  # date of the visit
)
# Two ways to write the headings in each language, as different people would.
HEADINGS = {
    "en": ("patient_number|name|sex|age|postal_code|phone|diagnosis|religion|salary|visit_date",
           "PatientNo|FullName|Gender|Age|ZIP|Telephone|Diagnosis|Religion|Income|VisitDate"),
    "de": ("Patientennummer|Name|Geschlecht|Alter|PLZ|Telefon|Diagnose|Religion|Gehalt|Besuchsdatum",
           "Patienten-Nr.|Nachname|geschlecht|alter|Postleitzahl|Telefonnummer|diagnose|Konfession|Einkommen|Datum"),
    "fr": ("numéro_patient|nom|sexe|âge|code_postal|téléphone|diagnostic|religion|salaire|date_visite",
           "No patient|Nom complet|Sexe|Age|CP|Tél|Diagnostic|Confession|Revenu|Date de consultation"),
    "es": ("número_paciente|nombre|sexo|edad|código_postal|teléfono|diagnóstico|religión|salario|fecha_visita",
           "Nº paciente|Nombre y apellidos|Sexo|Edad|CP|Móvil|Diagnóstico|Religión|Sueldo|Fecha"),
    "it": ("numero_paziente|nome|sesso|età|cap|telefono|diagnosi|religione|stipendio|data_visita",
           "ID paziente|Cognome|Sesso|Età|CAP|Cellulare|Diagnosi|Religione|Reddito|Data"),
    "nl": ("patiëntnummer|naam|geslacht|leeftijd|postcode|telefoon|diagnose|religie|salaris|bezoekdatum",
           "Patiëntnr|Achternaam|Geslacht|Leeftijd|Postcode|Telefoonnummer|Diagnose|Godsdienst|Inkomen|Datum"),
    "pt": ("número_paciente|nome|sexo|idade|código_postal|telefone|diagnóstico|religião|salário|data_visita",
           "Nº utente|Nome completo|Sexo|Idade|CEP|Telemóvel|Diagnóstico|Religião|Rendimento|Data da consulta"),
    "tr": ("hasta_no|ad|cinsiyet|yaş|posta_kodu|telefon|tanı|din|maaş|ziyaret_tarihi",
           "Hasta Numarası|Ad Soyad|Cinsiyet|Yaş|Posta Kodu|Cep Telefonu|Teşhis|Din|Gelir|Muayene Tarihi"),
    "ar": ("رقم_المريض|الاسم|الجنس|العمر|الرمز_البريدي|الهاتف|التشخيص|الديانة|الراتب|تاريخ_الزيارة",
           "رقم الملف|اسم المريض|النوع|السن|الرمز البريدي|رقم الجوال|المرض|الدين|الدخل|التاريخ"),
    "pl": ("numer_pacjenta|nazwisko|płeć|wiek|kod_pocztowy|telefon|diagnoza|religia|pensja|data_wizyty",
           "Nr pacjenta|Imię i nazwisko|Płeć|Wiek|Kod pocztowy|Nr telefonu|Rozpoznanie|Wyznanie|Wynagrodzenie|Data"),
    "sv": ("patientnummer|namn|kön|ålder|postnummer|telefon|diagnos|religion|lön|besöksdatum",
           "Patientnr|Efternamn|Kön|Ålder|Postnr|Mobil|Diagnos|Trossamfund|Inkomst|Datum"),
    "ja": ("患者番号|氏名|性別|年齢|郵便番号|電話番号|診断名|宗教|給与|受診日",
           "患者ID|名前|性別|年齢|郵便番号|携帯電話|病名|信仰|年収|日付"),
    "ru": ("номер_пациента|фио|пол|возраст|почтовый_индекс|телефон|диагноз|религия|зарплата|дата_визита",
           "Номер карты|Фамилия|Пол|Возраст|Индекс|Мобильный|Диагноз|Вероисповедание|Доход|Дата"),
    "zh": ("患者编号|姓名|性别|年龄|邮编|电话|诊断|宗教|工资|就诊日期",
           "病历号|病人姓名|性别|年龄|邮政编码|手机号|疾病|宗教信仰|收入|日期"),
    "da": ("patientnummer|navn|køn|alder|postnummer|telefonnummer|diagnose|religion|løn|dato",),
    "fi": ("potilasnumero|nimi|sukupuoli|ikä|postinumero|puhelin|diagnoosi|uskonto|palkka|käyntipäivä",),
    "cs": ("číslo_pacienta|příjmení|pohlaví|věk|psč|telefon|diagnóza|náboženství|plat|datum_návštěvy",),
    "el": ("αριθμός_ασθενούς|ονοματεπώνυμο|φύλο|ηλικία|τκ|τηλέφωνο|διάγνωση|θρησκεία|μισθός|ημερομηνία",),
    "uk": ("номер_пацієнта|прізвище|стать|вік|поштовий_індекс|телефон|діагноз|релігія|зарплата|дата_візиту",),
    "ko": ("환자번호|성명|성별|나이|우편번호|전화번호|진단명|종교|급여|진료일",),
}  # fmt: skip
REQUIRED = "en de fr es it nl pt tr ar pl sv ja ru zh".split()
_LATIN = (
    "Anna Ben Clara David Ella Felix Greta Hugo Ida Jonas",
    "Berger Costa Dahl Evers Fontana Gomes Holm Janssen Kowal Lopes",
)
_NAMES = {
    "ar": ("محمد أحمد فاطمة عائشة علي حسن ليلى يوسف مريم خالد", "العلي الحسن السيد المصري الخطيب النجار حداد سليم عمر ناصر"),
    "ja": ("太郎 花子 健 美咲 翔 陽菜 大輔 結衣 拓也 葵", "佐藤 鈴木 高橋 田中 伊藤 渡辺 山本 中村 小林 加藤"),
    "ru": ("Иван Мария Алексей Ольга Дмитрий Елена Сергей Анна Павел Нина", "Иванов Петров Сидоров Кузнецов Смирнов Попов Лебедев Козлов Новиков Морозов"),
    "zh": ("伟 芳 娜 敏 静 丽 强 磊 军 洋", "王 李 张 刘 陈 杨 赵 黄 周 吴"),
    "uk": ("Іван Марія Олексій Ольга Дмитро Олена Сергій Ганна Павло Ніна", "Шевченко Коваленко Бондаренко Ткаченко Кравченко Мельник Шевчук Коваль Олійник Лисенко"),
    "ko": ("민준 서연 지훈 하은 도윤 수빈 현우 지민 예준 유진", "김 이 박 최 정 강 조 윤 장 임"),
    "el": ("Γιώργος Μαρία Νίκος Ελένη Κώστας Σοφία Πέτρος Άννα Δημήτρης Ιωάννα", "Παπαδόπουλος Γεωργίου Νικολάου Δημητρίου Ιωάννου Αντωνίου Βασιλείου Χρήστου Πέτρου Μακρής"),
}  # fmt: skip
_SEXES = {
    "de": "m w", "fr": "H F", "es": "H M", "tr": "E K", "ar": "ذكر أنثى", "pl": "M K", "sv": "M K", "ja": "男 女", "ru": "м ж",
    "zh": "男 女", "fi": "M N", "cs": "M Ž", "el": "Α Θ", "uk": "ч ж", "ko": "남 여", "da": "M K",
}  # fmt: skip
_POSTAL = {
    "nl": lambda r: f"{r.randrange(1000, 9999)} {r.choice('ABCEGH')}{r.choice('ABEHKL')}",
    "pt": lambda r: f"{r.randrange(1000, 9999)}-{r.randrange(1, 999):03d}",
    "pl": lambda r: f"{r.randrange(1, 99):02d}-{r.randrange(1, 999):03d}",
    "sv": lambda r: f"{r.randrange(100, 984)} {r.randrange(10, 99)}",
    "ja": lambda r: f"{r.randrange(1, 999):03d}-{r.randrange(1, 9999):04d}",
    "ru": lambda r: r.randrange(101_000, 692_000),
    "zh": lambda r: r.randrange(100_000, 859_000),
    "uk": lambda r: r.randrange(10_000, 99_000),
}
_PHONE = {
    "en": lambda r: f"({r.randrange(201, 989)}) 555-{r.randrange(10_000):04d}",
    "zh": lambda r: 13_000_000_000 + r.randrange(10**9),
    "ja": lambda r: f"090-{r.randrange(1000, 9999)}-{r.randrange(1000, 9999)}",
    "ru": lambda r: (
        f"8 {r.randrange(900, 999)} {r.randrange(100, 999)}-{r.randrange(10, 99)}-{r.randrange(10, 99)}"
    ),
    "tr": lambda r: (
        f"05{r.randrange(30, 59)} {r.randrange(100, 999)} {r.randrange(10, 99)} {r.randrange(10, 99)}"
    ),
    "ar": lambda r: 500_000_000 + r.randrange(10**8),
}


def patients(language: str, variant: int = 0, people: int = 300) -> pa.Table:
    """The table with its headings in this language."""
    draw = random.Random(f"{language} {variant}")
    given, family = (words.split() for words in _NAMES.get(language, _LATIN))
    sexes = _SEXES.get(language, "M F").split()
    numbers = draw.sample(range(10_000, 99_999), people)
    rows = []
    for number in numbers:
        parts = (draw.choice(family), draw.choice(given))
        fixed = (
            number,
            "".join(parts) if language in ("zh", "ja", "ko") else " ".join(reversed(parts)),
            draw.choice(sexes),
            min(97, max(1, round(draw.gauss(47, 19)))),
            _POSTAL.get(language, lambda r: r.randrange(10_000, 99_999))(draw),
            _PHONE.get(language, lambda r: f"0{r.randrange(20, 99)} {r.randrange(100_000, 9_999_999)}")(draw),
        )
        belief, pay = draw.choice(["r1", "r2", "r3"]), draw.randrange(18_000, 120_000)
        for _ in range(2):
            ill = f"{draw.choice('ACEGIJKMNS')}{draw.randrange(100):02d}.{draw.randrange(10)}"
            day = datetime.date(2024, 1, 1) + datetime.timedelta(days=draw.randrange(366))
            rows.append((*fixed, ill, belief, pay, day))
    draw.shuffle(rows)
    names = HEADINGS[language][variant].split("|")
    return pa.table({name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)})
