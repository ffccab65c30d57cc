"""Names of items: every spelling of the public data means its item, and none means two."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.checklists.loader import builtin_templates, load_builtin
from annotation.checklists.schema import OUTSIDE, is_outside, normalise_name

# key of the annotation tool -> display name of the release
DISPLAY = {
    "filing_date": "Filing Date",
    "parties": "Who are the Parties",
    "class_action": "Class Action or Individual Plaintiffs",
    "type_of_counsel": "Type of Counsel",
    "cause_of_action": "Cause of Action",
    "statutory_basis": "Statutory or Constitutional Basis for the Case",
    "remedy_sought": "Remedy Sought",
    "judge_name": "First and Last name of Judge",
    "consolidated_cases": "Consolidated Cases Noted",
    "related_cases": "Related Cases Listed by Their Case Code Number",
    "important_filings": "Note Important Filings",
    "court_rulings": "Court Rulings",
    "reported_opinions": "All Reported Opinions Cited with Shortened Bluebook Citation",
    "trials": "Trials",
    "appeals": "Appeal",
    "decree_terms": "Significant Terms of Decrees",
    "decree_dates": "Dates of All Decrees",
    "decree_duration": "How Long Decrees will Last",
    "settlement_terms": "Significant Terms of Settlement",
    "settlement_date": "Date of Settlement",
    "settlement_duration": "How Long Settlement will Last",
    "court_enforced": "Whether the Settlement is Court-enforced or Not",
    "settlement_disputes": "Disputes Over Settlement Enforcement",
    "monitor_name": "Name of the Monitor",
    "monitor_reports": "Monitor Reports",
    "factual_basis": "Factual Basis of Case",
}
# Short names of the release's README and folder names of its agent runs, where they differ.
SHORT = {
    "Statutory or Constitutional Basis": "statutory_basis",
    "Consolidated Cases": "consolidated_cases",
    "Related Cases": "related_cases",
    "Important Filings": "important_filings",
    "Reported Opinions": "reported_opinions",
    "Appeals": "appeals",
    "Decree Terms": "decree_terms",
    "Settlement Terms": "settlement_terms",
    "Settlement Date": "settlement_date",
    "Settlement Duration": "settlement_duration",
    "Court Enforced": "court_enforced",
    "Enforcement Disputes": "settlement_disputes",
    "enforcement_disputes": "settlement_disputes",
    "Court-Appointed Monitor": "monitor_name",
    "Class action vs. Individual": "class_action",
}


@pytest.mark.parametrize(("key", "display"), DISPLAY.items())
def test_the_three_spellings_of_the_public_data_mean_one_item(key: str, display: str) -> None:
    template = load_builtin("legal-26")
    spellings = {
        key,
        display,
        display.replace(" ", "_"),
        display.replace(" ", "_").replace("-", "_"),
        display.replace(" ", "_") + "_",
        display.upper(),
        display.replace(" ", "\u00a0"),
        f"  {display}: ",
        template.item(key).label,
    }
    found = {name: template.item_for(name) for name in spellings}
    assert set(found.values()) == {template.item(key)}, found


def test_the_table_names_all_items() -> None:
    assert tuple(DISPLAY) == load_builtin("legal-26").item_keys


@pytest.mark.parametrize(("name", "key"), SHORT.items())
def test_short_names_mean_their_item(name: str, key: str) -> None:
    item = load_builtin("legal-26").item_for(name)
    assert item is not None
    assert item.key == key


@pytest.mark.parametrize("name", ["Context", "", "filing", "parties and judges", "_"])
def test_other_names_mean_nothing(name: str) -> None:
    assert load_builtin("legal-26").item_for(name) is None


def test_a_slip_gets_a_hint() -> None:
    template = load_builtin("legal-26")
    near = template.nearest_item("Fling_Date")
    assert near is not None
    assert near.key == "filing_date"
    assert template.nearest_item("zzzzzz") is None


@pytest.mark.parametrize("name", [OUTSIDE, "Not Covered", "NOT-COVERED", "not covered "])
def test_outside_is_no_item(name: str) -> None:
    assert is_outside(name)
    assert all(template.item_for(name) is None for template in builtin_templates().values())


def test_a_covered_name_is_not_outside() -> None:
    assert not is_outside("covered")
    assert not is_outside("filing_date")


@given(st.text())
def test_normalising_twice_changes_nothing(name: str) -> None:
    once = normalise_name(name)
    assert normalise_name(once) == once


@given(
    st.text(alphabet=st.characters(categories=["Lu", "Ll", "Nd"], max_codepoint=0x17F), min_size=1),
    st.sampled_from(["_", "-", " ", ", ", "__", "\u00a0", "/"]),
)
def test_what_stands_between_words_does_not_count(word: str, between: str) -> None:
    assert normalise_name(f"{word}{between}{word}") == normalise_name(f"{word} {word}")
