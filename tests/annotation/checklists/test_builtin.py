"""The templates that come with the program: complete, in order, and usable as they stand."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import pytest

from annotation.checklists.loader import builtin_templates, load_builtin
from annotation.checklists.schema import Item, Template
from annotation.errors import NotFound

LEGAL = """
basic: filing_date parties class_action type_of_counsel
foundation: cause_of_action statutory_basis remedy_sought
judge: judge_name
related: consolidated_cases related_cases
proceedings: important_filings court_rulings reported_opinions trials appeals
decrees: decree_terms decree_dates decree_duration
settlements: settlement_terms settlement_date settlement_duration court_enforced settlement_disputes
monitoring: monitor_name monitor_reports
context: factual_basis
"""
MEDICAL = """
topic: condition condition_burden condition_cause symptoms current_care intervention
    intervention_mechanism
question: why_review review_aim population comparators outcomes_of_interest
methods: search_methods eligible_studies synthesis_methods
evidence_base: number_of_studies number_of_participants participant_characteristics settings
    study_duration funding
benefits: main_result benefits no_difference
harms: harms
certainty: missing_outcomes certainty limitations
currency: search_date
"""
LABELS = {
    "filing_date": "Filing date",
    "class_action": "Class action or individual plaintiffs",
    "statutory_basis": "Statutory or constitutional basis",
    "decree_terms": "Significant terms of decrees",
    "settlement_terms": "Significant terms of settlement",
    "settlement_disputes": "Disputes over enforcement",
    "court_enforced": "Court-enforced settlement",
    "factual_basis": "Factual basis",
}
# One sentence of our own for each item, which its cues must notice.
SIGNALS = {
    "filing_date": "On March 4, 2019, two residents filed this lawsuit in federal court.",
    "parties": "The plaintiffs sued the county and its sheriff.",
    "class_action": "They sought to represent a putative class of tenants.",
    "type_of_counsel": "Represented by Prairie Justice Center, the tenants asked for help.",
    "cause_of_action": "The claims were brought under 42 U.S.C. § 1983.",
    "statutory_basis": "They said that the policy violated the Equal Protection Clause.",
    "remedy_sought": "The tenants sought declaratory and injunctive relief.",
    "judge_name": "The case was assigned to Judge Marisol Vandenberg.",
    "consolidated_cases": "The two actions were consolidated in April.",
    "related_cases": "A separate lawsuit about the same building was pending.",
    "important_filings": "The county moved to dismiss the amended complaint.",
    "court_rulings": "The court denied the motion in part.",
    "reported_opinions": "See 512 F. Supp. 3d 88 and 2021 WL 445566.",
    "trials": "A five-day jury trial began on February 7.",
    "appeals": "The county appealed to the Sixth Circuit.",
    "decree_terms": "The consent decree covers every stop.",
    "decree_dates": "The judge entered a permanent injunction in June.",
    "decree_duration": "The injunction stays in force until 2026.",
    "settlement_terms": "The city agreed to pay the driver.",
    "settlement_date": "The parties reached a settlement in August.",
    "settlement_duration": "The agreement will last for two years.",
    "court_enforced": "The court retained jurisdiction over the agreement.",
    "settlement_disputes": "The driver moved to enforce the settlement.",
    "monitor_name": "The court appointed Henrike Solberg as monitor.",
    "monitor_reports": "The monitor reported that training was late.",
    "factual_basis": "The tenants were removed during a snowstorm.",
    "condition": "Tennis elbow is a painful condition of the arm.",
    "condition_burden": "It affects one in forty adults.",
    "condition_cause": "It is caused by repeated gripping.",
    "symptoms": "Typical symptoms come at night.",
    "current_care": "It is usually treated with rest.",
    "intervention": "We looked at injections of plasma.",
    "intervention_mechanism": "Plasma is thought to speed up healing.",
    "why_review": "Why is this important? It is unclear whether it helps.",
    "review_aim": "We wanted to find out whether plasma eases pain.",
    "population": "We included studies of adults with tennis elbow.",
    "comparators": "Plasma was compared with salt water.",
    "outcomes_of_interest": "Our main outcomes were pain and daily life.",
    "search_methods": "We searched four databases.",
    "eligible_studies": "Only randomised trials were taken in.",
    "synthesis_methods": "We rated our confidence in the evidence.",
    "number_of_studies": "We found 14 small studies.",
    "number_of_participants": "The studies had 1,204 adult people.",
    "participant_characteristics": "Their average age was 46.",
    "settings": "The studies were conducted in Norway.",
    "study_duration": "People were followed for two years.",
    "funding": "Five studies were funded by makers of kits.",
    "main_result": "Key message: plasma probably does not help.",
    "benefits": "More people were free of pain than with rest.",
    "no_difference": "There was little or no difference in pain.",
    "harms": "Side effects were mild.",
    "missing_outcomes": "No studies reported return to work.",
    "certainty": "We have little confidence in the evidence.",
    "limitations": "The trials were small, and people knew which injection they got.",
    "search_date": "The evidence is up to date to March 2023.",
}

ITEMS = [
    pytest.param(item, id=f"{template.key}-{item.key}")
    for template in builtin_templates().values()
    for item in template.items
]


def outline(text: str) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for word in text.split():
        if word.endswith(":"):
            groups[word[:-1]] = []
        else:
            groups[list(groups)[-1]].append(word)
    return groups


@pytest.mark.parametrize(
    ("key", "count", "expected"), [("legal-26", 26, LEGAL), ("medical-29", 29, MEDICAL)]
)
def test_items_stand_in_their_groups_in_the_published_order(
    key: str, count: int, expected: str
) -> None:
    template = load_builtin(key)
    found = {
        group.key: [item.key for item in template.items_in(group.key)] for group in template.groups
    }
    assert found == outline(expected)
    assert len(template.items) == count == len(set(template.item_keys))
    assert template.item_keys == tuple(key for keys in found.values() for key in keys)


def test_labels_are_those_of_the_checklist() -> None:
    template = load_builtin("legal-26")
    assert {key: template.item(key).label for key in LABELS} == LABELS


def test_the_list_of_health_reviews_says_that_it_is_a_reconstruction() -> None:
    assert "our reconstruction" in load_builtin("medical-29").description


@pytest.mark.parametrize("key", ["legal-26", "medical-29"])
def test_each_group_has_its_own_colour_icon_and_place(key: str) -> None:
    groups = load_builtin(key).groups
    assert len({group.colour for group in groups}) == len(groups)
    assert len({group.icon for group in groups}) == len(groups)
    assert [group.order for group in groups] == list(range(1, len(groups) + 1))


@pytest.mark.parametrize("item", ITEMS)
def test_an_item_can_be_applied_by_somebody_who_has_only_this_text(item: Item) -> None:
    sentences = re.split(r"(?<=[.?!]) ", item.definition)
    assert 2 <= len(sentences) <= 5
    assert len(item.definition.split()) >= 45
    assert item.question.endswith("?")
    assert item.value_format
    assert len(set(item.examples)) >= 2
    assert len(item.counter_examples) >= 1
    assert not set(item.examples) & set(item.counter_examples)
    assert item.code
    assert item.cues


@pytest.mark.parametrize("item", ITEMS)
def test_an_item_speaks_for_itself(item: Item) -> None:
    # Annotators and judges see one item at a time.
    assert not re.search(r"\b(?:item|items) (?:above|below|before)\b", item.definition)


def test_no_sentence_is_shared_between_definitions() -> None:
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for template in builtin_templates().values():
        for item in template.items:
            for sentence in re.split(r"(?<=[.?!]) ", item.definition):
                owners[sentence].add(f"{template.key}/{item.key}")
    assert [names for names in owners.values() if len(names) > 1] == []


@pytest.mark.parametrize("item", ITEMS)
def test_cues_notice_a_sentence_about_their_item(item: Item) -> None:
    text = SIGNALS[item.key]
    places = item.find_cues(text)
    assert places
    assert all(0 <= start < end <= len(text) for start, end in places)


def test_cues_stay_silent_where_nothing_is_said() -> None:
    text = "The weather was fine that week, and the harbour lay quiet."
    quiet = [item.key for item in load_builtin("legal-26").items if not item.find_cues(text)]
    assert quiet == list(load_builtin("legal-26").item_keys)


def test_codes_are_unique_within_a_template() -> None:
    for template in builtin_templates().values():
        assert max(Counter(item.code for item in template.items).values()) == 1


def test_nouns_differ_between_domains() -> None:
    def words(template: Template) -> tuple[str, ...]:
        nouns = template.nouns
        return (nouns.case.one, nouns.summary.many, nouns.reference.one, nouns.document.many)

    assert words(load_builtin("legal-26")) == (
        "lawsuit",
        "case summaries",
        "expert summary",
        "court documents",
    )
    assert words(load_builtin("medical-29"))[0] == "systematic review"


def test_an_unknown_template_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(NotFound, match=r"'legal-27'.*legal-26, medical-29"):
        load_builtin("legal-27")
