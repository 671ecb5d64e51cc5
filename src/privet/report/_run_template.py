"""The page of a run's report, as a template: it shows what the report holds and computes nothing."""

from __future__ import annotations

RUN_PAGE = """
{% macro sheet(caption, headings, rows, numbers=(), kind="") %}<table class="stack {{ kind }}" role="table"><caption>{{ caption }}</caption><thead role="rowgroup"><tr role="row">{% for h in headings %}<th scope="col" role="columnheader"{{ ' class="n"'|safe if loop.index0 in numbers }}>{{ h }}</th>{% endfor %}</tr></thead><tbody role="rowgroup">
{% for row in rows %}<tr role="row">{% for cell in row %}{% if loop.first %}<th scope="row" role="rowheader">{{ cell }}</th>{% else %}<td role="cell" data-label="{{ headings[loop.index0] }}"{{ ' class="n"'|safe if loop.index0 in numbers }}>{% if cell is mapping %}<span class="chip {{ cell.chip }}">{{ cell.text }}</span>{{ cell.more }}{% else %}{{ cell }}{% endif %}</td>{% endif %}{% endfor %}</tr>
{% endfor %}</tbody></table>{% endmacro %}
{% macro points(caption, items, words=none, blank=false, said=true) %}<table class="stack points" role="table"><caption{{ ' class="unseen"'|safe if not said }}>{{ caption }}</caption><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">asked</th><th scope="col" role="columnheader">standing</th><th scope="col" role="columnheader">on what evidence</th></tr></thead><tbody role="rowgroup">
{% for item in items %}<tr role="row"><th scope="row" role="rowheader">{{ item.asks }}</th><td role="cell" data-label=""><span class="chip {{ chips[item.standing] }}">{{ (words or {}).get(item.standing, item.standing.split(":")[0]) }}</span></td><td role="cell" data-label="">{{ item.evidence }}{% if chips[item.standing] == 'open' and not item.evidence and not blank %}for human review{% endif %}{% if blank and chips[item.standing] == 'open' %}<span class="blank">To be written by a person</span>{% endif %}</td></tr>
{% endfor %}</tbody></table>{% endmacro %}
<a class="skip" href="#main">Skip to the report</a>
<header>
<p class="stamp {{ r.audience }}">{{ "For the owner of the data only" if owner else "Public version" }}</p>
<h1>Privacy report: {{ r.data_set }}</h1>
<p class="sub">{{ "Exact figures, measured on the original rows. No row and no value of one is on this page." if owner else "Promises, parameters and bookings. Nothing here was measured on the original rows." }} Run of {{ r.started[:10] }}.</p>
</header>
<nav aria-label="Contents"><ol>{% for at, title in contents %}<li><a href="#{{ at }}">{{ title }}</a></li>{% endfor %}</ol></nav>
<main id="main">
<section id="summary" aria-labelledby="h-summary"><h2 id="h-summary">In short</h2>
<p class="verdict{{ ' calm' if r.summary.calm }}">{{ r.summary.verdict }}</p>
{% if r.summary.findings %}<ul class="findings">{% for said in r.summary.findings %}<li>{{ said }}</li>{% endfor %}</ul>{% endif %}
<div class="tiles">{% for number, words in tiles %}<div class="tile"><b>{{ number }}</b><span>{{ words }}</span></div>{% endfor %}</div>
<ul>{% for said in r.summary.said %}<li>{{ said }}</li>{% endfor %}</ul></section>

<section id="artifacts" aria-labelledby="h-artifacts"><h2 id="h-artifacts">{{ "Promise beside evidence" if owner else "What is promised" }}</h2>
<p class="sub">{{ "A promise is what the method guarantees whoever attacks; evidence is what the attacks that were tried reached. Neither stands for the other." if owner else "A promise is what the method guarantees, within what it says it does not protect against." }}</p>
{% for a in artifacts %}<article aria-labelledby="a-{{ loop.index }}"><h3 id="a-{{ loop.index }}">{{ a.step }}: {{ a.what }}</h3>
<div class="{{ 'pair' if owner }}"><div><h4>Promise</h4>
<p class="promise">{{ a.sentence or "None. It was made for the owner and is not to be handed on." }}</p>
<dl>{% for name, value in a.facts %}<dt>{{ name }}</dt><dd>{{ value }}</dd>{% endfor %}</dl></div>
{% if owner %}<div><h4>Evidence</h4>
{% if a.figure %}<figure>{{ a.figure }}<figcaption>What attacks reached, from 0 to 1. The same figures stand in the table below.</figcaption></figure>{% endif %}
{% if not a.evidence %}<p>{{ "No attack was made on it." if a.sentence else "It is a measurement itself; nothing attacks it." }}</p>{% endif %}
{% if a.untried and not a.evidence and a.untried|length < 4 %}<ul>{% for said in a.untried %}<li>{{ said[0]|upper }}{{ said[1:] }}</li>{% endfor %}</ul>{% elif a.untried %}<details><summary>{{ a.untried|length }} skipped (reasons below)</summary><ul>{% for said in a.untried %}<li>{{ said }}</li>{% endfor %}</ul></details>{% endif %}
{% if a.notes %}<details><summary>Notes of its maker ({{ a.notes|length }})</summary><ul>{% for said in a.notes %}<li>{{ said }}</li>{% endfor %}</ul></details>{% endif %}</div>{% endif %}</div>
{% if a.rows %}{{ sheet("Attacks on " ~ a.step ~ ": larger is worse. A test on too little data shows nothing whatever there is, and is called inconclusive.", a.headings, a.rows, range(2, a.headings|length - 1), "wide of" ~ a.headings|length) }}{% endif %}
<h4>What it does not protect against</h4><ul>{% for said in a.not_protected %}<li>{{ said }}</li>{% endfor %}</ul>
</article>{% endfor %}</section>

{% if budgets %}<section id="budgets" aria-labelledby="h-budgets"><h2 id="h-budgets">Budget</h2>
<p class="sub">What the ledger has booked. Once spent, it does not come back.</p>
<div class="charts">{% for b in budgets %}<figure><figcaption>Budget of the {{ b.scope }}{{ ", open until " ~ b.expires if b.expires }}</figcaption>{{ b.figure }}</figure>{% endfor %}</div>
{{ sheet("The same as a table", ["budget", "amount", "limit", "spent before", "in this run", "planned", "left"], budget_rows, (2, 3, 4, 5, 6)) }}</section>{% endif %}

{% if changes or r.as_it_stands %}<section id="risk" aria-labelledby="h-risk"><h2 id="h-risk">Risk before and after</h2>
{% if r.as_it_stands %}{{ sheet("The data as it stands, by the audit: an attacker who knows that a person is in it", ["risk", "value", "measured by"], standing_rows, (1,)) }}{% endif %}
{% for c in changes %}<div class="pair"><figure><figcaption>{{ c.step }}: before and after</figcaption>{{ c.figure }}</figure><div>{{ sheet("The same as a table: " ~ c.step, ["risk", "before", "after", "promise allows"], c.rows, (1, 2, 3)) }}</div></div>{% endfor %}</section>{% endif %}

{% if t %}<section id="tradeoff" aria-labelledby="h-tradeoff"><h2 id="h-tradeoff">Trade-off</h2>
<p>{{ t.standing_words }}</p><figure class="whole"><div class="scroll" tabindex="0" role="group" aria-label="Picture of the trade-off">{{ t.figure }}</div></figure>
{{ sheet("Each point that was tried" ~ (" for " ~ t.target if t.target), ["point", "technique", "utility", "risk", "guessing", "on the frontier", "in words"], t.rows, (2, 3, 4)) }}
{% if t.knee %}<h3>Proposed</h3><p>{{ t.knee.reason }}</p><pre>{{ t.knee.policy_lines }}</pre>{% endif %}
{% if t.notes %}<ul>{% for said in t.notes %}<li>{{ said }}</li>{% endfor %}</ul>{% endif %}</section>{% endif %}

<section id="wp29" aria-labelledby="h-wp29"><h2 id="h-wp29">Singling out, linkability, inference</h2>
<p class="sub">The three criteria of the Article 29 Working Party (opinion 05/2014). Whoever holds the source still holds personal data; for a recipient it depends on what they hold or can get.</p>
{{ points("Three criteria, by the attacks that speak to each", r.checklists.wp29, {"met": "nothing beyond was found", "not met": "an attack went beyond"}) }}</section>

<section id="hazards" aria-labelledby="h-hazards"><h2 id="h-hazards">Hazards of differential privacy</h2>
{{ points("By NIST SP 800-226, Guidelines for Evaluating Differential Privacy Guarantees (2025)", r.checklists.hazards) }}</section>

<section id="dpia" aria-labelledby="h-dpia"><h2 id="h-dpia">Data protection impact assessment: a draft</h2>
<p class="sub">GDPR Art. 35(7). What can be derived is filled in. What only a person can say is marked as an item for human review; nothing was made up for it.</p>
{% for part in r.checklists.dpia %}<h3>{{ loop.index }}. {{ part.title }}</h3>{% if part["items"] %}{{ points(part.title, part["items"], {"met": "filled in"}, true, false) }}{% else %}<p>Nothing to say.</p>{% endif %}{% endfor %}</section>

<section id="article-30" aria-labelledby="h-article-30"><h2 id="h-article-30">Record of processing</h2>
{{ points("GDPR Art. 30(1), as far as the policy states it", r.checklists.article_30, {"met": "stated"}, true) }}</section>

<section id="safe-harbor" aria-labelledby="h-safe-harbor"><h2 id="h-safe-harbor">HIPAA Safe Harbor</h2>
<p class="sub">45 CFR 164.514(b)(2): eighteen identifiers, looked for in each table that was made: by the declared categories, and by names and sampled values of the columns of the file. What was not recognised may be there all the same.</p>
{% for one in r.checklists.safe_harbor %}{{ points("Table " ~ one.of, one["items"]) }}{% else %}<p>No table of records was made: the list does not apply to answers and models.</p>{% endfor %}</section>

<section id="ccpa" aria-labelledby="h-ccpa"><h2 id="h-ccpa">California: deidentified information</h2>
{{ points("CCPA, Civil Code 1798.140(m): commitments that no software can make", r.checklists.ccpa, none, true) }}</section>

<section id="purposes" aria-labelledby="h-purposes"><h2 id="h-purposes">Purposes, and what was read for each</h2>
{{ sheet("Purposes", ["purpose", "use", "legal basis", "outputs", "recipients", "ends", "review"], purpose_rows) }}
{% for step in steps %}<h3>{{ step.name }}: {{ step.kind }} for {{ step.purpose }}</h3>
<dl><dt>Read</dt><dd>{{ step.read|join(", ") }}</dd><dt>Left in the source</dt><dd>{{ step.dropped|join(", ") or "nothing" }}</dd><dt>Planned</dt><dd>{{ step.planned_words }}</dd><dt>Spent</dt><dd>{{ step.spent_words }}</dd>{% if step.options %}<dt>Told</dt><dd>{% for name, value in step.options.items() %}{{ name }}: {{ value if value is string or value is mapping or value is not iterable else value|join(", ") }}{{ "; " if not loop.last }}{% endfor %}</dd>{% endif %}</dl>
{% if step.query %}<details><summary>The query that the engine ran</summary><pre>{{ step.query }}</pre></details>{% endif %}{% endfor %}</section>

{% if r.ledger %}<section id="ledger" aria-labelledby="h-ledger"><h2 id="h-ledger">Ledger extract</h2>
<dl><dt>Ledger</dt><dd class="hash">{{ r.ledger.id }}</dd><dt>Head</dt><dd class="hash">{{ r.ledger.head }}</dd><dt>Accounting</dt><dd>{{ r.ledger.accounting }}</dd></dl>
<p class="sub">Each entry's hash covers the one before it: whoever keeps the head can tell whether anything before it was changed.</p>
{{ sheet("Entries" ~ entries_note, ledger_headings, ledger_rows) }}</section>{% endif %}

<section id="versions" aria-labelledby="h-versions"><h2 id="h-versions">Versions{{ " and digests" if owner }}</h2>
<dl>{% for name, value in r.bound_to.items() if value %}<dt>{{ name }}</dt><dd class="hash">{{ value }}</dd>{% endfor %}{% for name, value in r.versions.items() %}<dt>{{ name }}</dt><dd>{{ value }}</dd>{% endfor %}</dl></section>
</main>
<footer><p>Made by Privet {{ version }}. This page states what was promised and what was tried; it does not decide. Whether people can be identified by means reasonably likely to be used is for a person to judge and to sign, and to judge again when data or technology change.</p></footer>
</body></html>
"""
