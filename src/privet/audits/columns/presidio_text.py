"""Presidio's pattern recognisers on texts, as an extra: offline, without a language model.

Presidio's e-mail recogniser would fetch the public suffix list on first use; here it is given the copy that comes
with the library, and nothing is fetched. Names of persons need a model and are not found by it.
"""

from __future__ import annotations

import logging
from typing import Any

from privet.audits.columns._column_decision import Decision
from privet.audits.columns._column_evidence import Evidence
from privet.audits.columns._sampled_column import SampledColumn, spread
from privet.audits.columns._taxonomy import CATEGORIES
from privet.engine import ColumnKind
from privet.errors import MissingExtra

_TEXTS = 50
_SURE = 0.4  # Presidio's own score; what it gives a telephone number
_CATEGORIES = {
    "EMAIL_ADDRESS": "user.contact.email",
    "PHONE_NUMBER": "user.contact.phone_number",
    "US_SSN": "user.government_id.us_ssn",
    "US_ITIN": "user.government_id.us_ssn",
    "CREDIT_CARD": "user.payment.card_number",
    "IBAN_CODE": "user.payment.iban",
    "IP_ADDRESS": "user.device.ip_address",
    "MAC_ADDRESS": "user.device.mac_address",
    "URL": "user.contact.url",
    "MEDICAL_LICENSE": "user.health_and_medical.provider_number",
    "UK_NHS": "user.health_and_medical.uk_nhs",
    "US_PASSPORT": "user.government_id.passport",
    "US_DRIVER_LICENSE": "user.government_id.licence",
    "US_BANK_NUMBER": "user.payment.account",
}


def analyser() -> Any:
    """Presidio's engine with no language model, unable to reach the network."""
    try:
        import tldextract
        from presidio_analyzer import AnalyzerEngine
        from presidio_analyzer.nlp_engine import NoOpNlpEngine
    except ImportError:
        raise MissingExtra(
            "looking into texts with Presidio needs a library that is not installed.",
            "pip install 'privet[presidio]', or leave presidio out: the own detectors work without it.",
        ) from None
    tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
    # It announces every recogniser of another language that it leaves out.
    logging.getLogger("presidio-analyzer").setLevel(logging.ERROR)
    words = NoOpNlpEngine(models=[{"lang_code": "en", "model_name": "no_op"}])
    words.load()
    return AnalyzerEngine(nlp_engine=words, supported_languages=["en"])


def deepened(decision: Decision, column: SampledColumn, engine: Any) -> Decision:
    """The decision with what Presidio finds inside texts; other columns keep theirs."""
    if column.kind is not ColumnKind.TEXT or not decision.category.startswith(("user.content", "other")):
        return decision
    texts = spread(column.texts, _TEXTS)
    hits: dict[str, int] = {}
    for text in texts:
        found = {one.entity_type for one in engine.analyze(text=text, language="en") if one.score >= _SURE}
        for category in {_CATEGORIES[kind] for kind in found & _CATEGORIES.keys()}:
            hits[category] = hits.get(category, 0) + 1
    if not hits:
        return decision
    said = tuple(
        Evidence(
            "presidio",
            f"Presidio finds {CATEGORIES[category].label} in {many} of {len(texts)} distinct values",
            category,
            many / len(texts),
            len(texts),
        )
        for category, many in sorted(hits.items(), key=lambda pair: -pair[1])
    )
    return Decision("user.content.private", max(decision.confidence, 0.8), (*said, *decision.evidence))
