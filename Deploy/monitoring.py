#!/usr/bin/env python3
"""usage: monitoring.py METRICS

Checks the alert rules and the dashboard of Deploy/prometheus and Deploy/grafana against METRICS, the recorded text of a
gateway's /metrics, with promtool (Debian's package prometheus):

- the rules are valid, their own tests pass (each alert is silent first, and then fires alone), and the page Monitoring
  has each alert;
- each metric of a rule or of the dashboard is one of the recorded ones, and each selector finds a series;
- each expression of the dashboard has a result over the recorded series.

Prints what is wrong; the exit status is 1 then.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

import yaml

DEPLOY = os.path.dirname(os.path.abspath(__file__))
RULES = os.path.join(DEPLOY, "prometheus", "switchboard.rules.yml")
RULE_TESTS = os.path.join(DEPLOY, "prometheus", "switchboard.rules.test.yml")
DASHBOARD = os.path.join(DEPLOY, "grafana", "switchboard.json")
PAGE = os.path.join(DEPLOY, "..", "Sources", "switchboard", "Documentation.docc", "Monitoring.md")
# What Prometheus adds to a scraped series.
TARGET = 'job="switchboard",instance="recorded"'
# A metric's name with its matchers.
SELECTOR = re.compile(r'\b((?:switchboard|process)_\w+|up)\b(\{(?:[^}"]|"[^"]*")*\})?')
SAMPLE = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$")


def panels(dashboard):
    """The panels, those in rows too."""
    for panel in dashboard["panels"]:
        yield panel
        yield from panel.get("panels", [])


def dashboard_expressions(dashboard):
    """Title and expression of each target, and the queries of variables, with values in place of variables."""
    values = {"$__rate_interval": "5m", "$__range": "1h", "$job": "switchboard", "$instance": ".*"}

    def filled(text):
        for name, value in values.items():
            text = text.replace(name, value)
        return text

    for panel in panels(dashboard):
        for target in panel.get("targets", []):
            yield panel["title"], filled(target["expr"])
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            query = re.fullmatch(r"label_values\((.*), \w+\)", filled(variable["query"]))
            yield "variable " + variable["name"], query.group(1)


def recorded(path):
    """Name, series and values (as promtool writes them) of each sample, with what Prometheus adds."""
    kinds = {}
    series = []
    for line in open(path, encoding="utf-8"):
        words = line.split()
        if line.startswith("# TYPE"):
            kinds[words[2]] = words[3]
        sample = SAMPLE.match(line.rstrip("\n"))
        if not sample:
            continue
        name, labels, value = sample.groups()
        base = re.sub("_(bucket|sum|count)$", "", name)
        rises = kinds.get(name) == "counter" or kinds.get(base) == "histogram"
        # Of a counter that stands still, quantiles of a rate are no numbers.
        values = f"{value}+1x60" if rises else f"{value}x60"
        series.append((name, f"{name}{{{','.join(filter(None, [labels, TARGET]))}}}", values))
    series.append(("up", f"up{{{TARGET}}}", "1x60"))
    return series


def promtool(arguments, problems):
    result = subprocess.run(["promtool", *arguments], capture_output=True, text=True, check=False)
    if result.returncode:
        problems.append(f"promtool {' '.join(arguments)}: {result.stdout}{result.stderr}".strip())


def check(metrics, rules, dashboard, test_file, problems):
    """Compares expressions with the recorded series; returns what `promtool test rules` is to run."""
    series = recorded(metrics)
    names = {name for name, _, _ in series}
    expressions = list(dashboard_expressions(dashboard))
    alerts = [(rule["alert"], rule["expr"]) for group in rules["groups"] for rule in group["rules"]]
    tested = {name for name, _ in alerts if f'alertname="{name}"' in test_file}
    problems += [f"{name}: has no test in {RULE_TESTS}" for name, _ in alerts if name not in tested]
    with open(PAGE, encoding="utf-8") as page:
        rows = page.read()
    problems += [f"{name}: is not on the page Monitoring" for name, _ in alerts if f"\n| `{name}` |" not in rows]
    wanted = [expression for _, expression in expressions]
    for title, expression in expressions + alerts:
        for name, matchers in SELECTOR.findall(expression):
            wanted.append(name + matchers)
            if name not in names:
                problems.append(f"{title}: the gateway has no metric {name}")
    used = {name for text in wanted for name, _ in SELECTOR.findall(text)}
    return {
        "evaluation_interval": "1m",
        "tests": [
            {
                "interval": "1m",
                "input_series": [{"series": text, "values": values} for name, text, values in series if name in used],
                "promql_expr_test": [
                    {
                        "expr": f"count({text}) > bool 0",
                        "eval_time": "30m",
                        "exp_samples": [{"labels": "{}", "value": 1}],
                    }
                    for text in dict.fromkeys(wanted)
                ],
            }
        ],
    }


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    problems = []
    with open(RULES, encoding="utf-8") as rules, open(DASHBOARD, encoding="utf-8") as dashboard:
        with open(RULE_TESTS, encoding="utf-8") as tests:
            run = check(sys.argv[1], yaml.safe_load(rules), json.load(dashboard), tests.read(), problems)
    if problems:
        sys.exit("\n".join(problems))
    promtool(["check", "rules", RULES], problems)
    promtool(["test", "rules", RULE_TESTS], problems)
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        yaml.safe_dump(run, file, allow_unicode=True)
        file.flush()
        promtool(["test", "rules", file.name], problems)
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
