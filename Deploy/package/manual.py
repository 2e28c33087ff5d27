#!/usr/bin/env python3
"""Writes manual pages from the help of a program: one for the program and one for each of its commands.

    manual.py PROGRAM DIRECTORY VERSION

Reads what `PROGRAM --experimental-dump-help` prints. The date is that of SOURCE_DATE_EPOCH.
"""
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys


def escaped(text):
    """A text for roff: no character of it is a command."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    text = text.replace("^", "\\(ha").replace("~", "\\(ti")
    return re.sub(r"(?m)^\.", r"\\&.", text)


def option_name(name):
    return ("-" if name["kind"] == "short" else "--") + name["name"]


def spelled(argument):
    """How an argument is written: its names, and its value."""
    value = f"\\fI{escaped(argument.get('valueName', 'value'))}\\fR"
    if argument["kind"] == "positional":
        return value
    names = ", ".join(f"\\fB{escaped(option_name(name))}\\fR" for name in argument.get("names", []))
    return names if argument["kind"] == "flag" else f"{names} {value}"


def synopsis(command, words):
    parts = [f"\\fB{escaped(' '.join(words))}\\fR"]
    for argument in command.get("arguments", []):
        if not argument.get("shouldDisplay", True):
            continue
        preferred = argument.get("preferredName")
        value = f"\\fI{escaped(argument.get('valueName', 'value'))}\\fR"
        text = f"\\fB{escaped(option_name(preferred))}\\fR" if preferred else ""
        if argument["kind"] != "flag":
            text = f"{text} {value}".strip()
        if argument.get("isRepeating"):
            text += " ..."
        parts.append(f"[{text}]" if argument.get("isOptional") else text)
    if shown(command):
        parts.append("\\fIcommand\\fR")
    return " ".join(parts)


def shown(command):
    return [each for each in command.get("subcommands", []) if each.get("shouldDisplay", True) and each["commandName"] != "help"]


def discussion(text):
    """The long text: a line of capitals is a heading, an indented line is set as it is written."""
    lines, literal, between = [], False, False
    for line in text.split("\n"):
        indented = line.startswith("  ")
        if literal and not indented:
            lines.append(".EE")
        if not line.strip():
            between = True
        elif re.fullmatch(r"[A-Z][A-Z ]+", line.strip()):
            lines.append(f".SH {line.strip()}")
            between = False
        elif indented:
            if not literal:
                lines.append(".EX")
            lines.append(escaped(line[2:]))
        else:
            if between and lines and not lines[-1].startswith(".SH"):
                lines.append(".PP")
            between = False
            lines.append(escaped(line))
        literal = indented
    if literal:
        lines.append(".EE")
    return lines


def page(command, words, date, version):
    name = "-".join(words)
    lines = [
        f'.TH {name.upper()} 1 {date} "{words[0]} {version}" "User Commands"',
        ".SH NAME",
        f"{escaped(name)} \\- {escaped(command.get('abstract', '').rstrip('.').replace(chr(10), ' '))}",
        ".SH SYNOPSIS",
        synopsis(command, words),
    ]
    text = command.get("discussion", "")
    # Headings of the text come after the options.
    before, after = text, ""
    found = re.search(r"(?m)^[A-Z][A-Z ]+$", text)
    if found:
        before, after = text[: found.start()], text[found.start():]
    lines += [".SH DESCRIPTION", escaped(command.get("abstract", ""))]
    if before.strip():
        lines += [".PP", *discussion(before.strip("\n"))]
    arguments = [each for each in command.get("arguments", []) if each.get("shouldDisplay", True)]
    if arguments:
        lines.append(".SH OPTIONS")
        for argument in arguments:
            lines += [".TP", spelled(argument), escaped(argument.get("abstract", "").replace("\n", " ") or "See above.")]
            if argument.get("discussion"):
                lines.append(escaped(argument["discussion"].replace("\n", " ")))
            if argument.get("defaultValue"):
                lines.append(f"The default is {escaped(argument['defaultValue'])}.")
    if shown(command):
        lines.append(".SH COMMANDS")
        for each in shown(command):
            lines += [".TP", f"\\fB{escaped(each['commandName'])}\\fR", escaped(each.get("abstract", "").replace("\n", " "))]
            lines.append(f"See \\fB{escaped('-'.join(words + [each['commandName']]))}\\fR(1).")
    if after:
        lines += discussion(after.strip("\n"))
    if len(words) > 1:
        lines += [".SH SEE ALSO", f"\\fB{escaped('-'.join(words[:-1]))}\\fR(1)"]
    return "\n".join(lines) + "\n"


def write(command, words, folder, date, version):
    (folder / ("-".join(words) + ".1")).write_text(page(command, words, date, version), encoding="utf-8")
    for each in shown(command):
        write(each, words + [each["commandName"]], folder, date, version)


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    dump = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True, text=True).stdout
    moment = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    command = json.loads(dump)["command"]
    write(command, [command["commandName"]], folder, moment.strftime("%Y-%m-%d"), sys.argv[3])


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: manual.py PROGRAM DIRECTORY VERSION")
    main()
