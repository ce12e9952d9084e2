"""Scripts for bash, zsh and fish that complete the words of the commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from indexcalc.cli.completion_words import Command, Taken

MADE = "# Completes indexcalc in {shell}; made by: indexcalc completion {shell}"
MIXED = "_indexcalc_specs"
SUMMARY = 72
"""The most characters of a description."""


def quoted(text: str) -> str:
    """The text as one word of a shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def short(text: str) -> str:
    """The first sentence of a help text, without what a shell or its completion would read as its own."""
    found = text.replace("`", "").partition(". ")[0].rstrip(".")
    return found if len(found) <= SUMMARY else found[: SUMMARY - 1] + "…"


def bash(commands: Sequence[Command]) -> str:
    """The script for bash."""
    lines = [
        MADE.format(shell="bash"),
        "_indexcalc() {",
        "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= word",
        '    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
        "        case $word in -*) ;; *) command=$word; break ;; esac",
        "    done",
        "    COMPREPLY=()",
        '    case "$command $previous" in',
    ]
    for command in commands:
        for option in command.options:
            if option.takes is not None:
                patterns = "|".join(quoted(f"{command.name} {name}") for name in option.names)
                lines.append(f"        {patterns}) {bash_taken(option.takes)}; return ;;")
    lines += ["    esac", "    case $command in"]
    names = " ".join([*(command.name for command in commands), "--version", "--help"])
    lines.append(f"        '') COMPREPLY=($(compgen -W {quoted(names)} -- \"$current\")) ;;")
    for command in commands:
        words = " ".join(name for option in command.options for name in option.names)
        lines += [
            f"        {command.name})",
            "            case $current in",
            f'                -?*) COMPREPLY=($(compgen -W {quoted(words)} -- "$current")) ;;',
            f"                *) {bash_taken(command.argument) if command.argument else ':'} ;;",
            "            esac ;;",
        ]
    return "\n".join([*lines, "    esac", "}", "complete -F _indexcalc indexcalc", ""])


def bash_taken(taken: Taken) -> str:
    """The commands of bash that complete a value."""
    words = quoted(" ".join(taken.words))
    if taken.list:
        ahead = 'local ahead=; [[ $current == *,* ]] && ahead="${current%,*},"'
        return f'{ahead}; COMPREPLY=($(compgen -P "$ahead" -W {words} -- "${{current##*,}}"))'
    parts = []
    if taken.words:
        parts.append(f'COMPREPLY+=($(compgen -W {words} -- "$current"))')
    for ending in taken.endings:
        only = f" -X '!*{ending}'" if ending else ""
        parts.append(f'COMPREPLY+=($(compgen -f{only} -- "$current"))')
    if taken.folders or any(taken.endings):
        parts.append('COMPREPLY+=($(compgen -d -- "$current"))')
    if taken.folders or taken.endings:
        parts.append("compopt -o filenames 2>/dev/null")
    return "; ".join(parts) or ":"


def zsh(commands: Sequence[Command]) -> str:
    """The script for zsh."""
    lines = [
        "#compdef indexcalc",
        MADE.format(shell="zsh"),
        *zsh_mixed(commands),
        "_indexcalc() {",
        "    local context state state_descr line",
        "    typeset -A opt_args",
        "    _arguments -C '(-)--version[print the version]' '(-)--help[show the help]' \\",
        "        '1:command:->command' '*::argument:->argument'",
        "    case $state in",
        "        command)",
        "            local -a commands=(",
    ]
    lines += (f"                {quoted(f'{one.name}:{short(one.summary)}')}" for one in commands)
    lines += [
        "            )",
        "            _describe command commands ;;",
        "        argument)",
        "            case $line[1] in",
    ]
    for command in commands:
        specs = list(zsh_specs(command))
        lines.append(f"                {command.name}) _arguments \\")
        lines += (f"                    {quoted(spec)} \\" for spec in specs[:-1])
        lines.append(f"                    {quoted(specs[-1])} ;;")
    lines += ["            esac ;;", "    esac", "}"]
    lines += ['if [[ $funcstack[1] == _indexcalc ]]; then _indexcalc "$@"; else compdef _indexcalc indexcalc; fi', ""]
    return "\n".join(lines)


def zsh_mixed(commands: Sequence[Command]) -> Iterator[str]:
    """The function that completes words or files; one alone takes both, a spec."""
    every = [taken for one in commands for taken in (one.argument, *(option.takes for option in one.options))]
    (mixed,) = {(one.words, one.endings) for one in every if one is not None and one.words and one.endings}
    words, endings = mixed
    yield f"{MIXED}() {{"
    yield f"    local -a names=({' '.join(words)})"
    yield f"    compadd -a names; {zsh_files(endings)}"
    yield "}"


def zsh_files(endings: Sequence[str]) -> str:
    """The command that completes files."""
    if "" in endings:
        return "_files"
    # One pattern in parentheses at the end would be read as a qualifier.
    globs = f"*{endings[0]}" if len(endings) == 1 else f"({'|'.join(f'*{ending}' for ending in endings)})"
    return f'_files -g "{globs}"'


def zsh_specs(command: Command) -> Iterator[str]:
    """The arguments of ``_arguments``."""
    for option in command.options:
        for name in option.names:
            text = short(option.help).replace("[", "(").replace("]", ")").replace(":", "\\:")
            value = "" if option.takes is None else f":{zsh_text(option.takes)}:{zsh_taken(option.takes)}"
            yield f"*{name}[{text}]{value}"
    if command.argument is not None:
        yield f"*:{zsh_text(command.argument)}:{zsh_taken(command.argument)}"


def zsh_text(taken: Taken) -> str:
    """What a value is called."""
    return taken.metavar.lower().rstrip(".") or "value"


def zsh_taken(taken: Taken) -> str:
    """The action that completes a value."""
    words = " ".join(taken.words)
    if taken.list:
        return f"_sequence compadd - {words}"
    if taken.folders:
        return "_files -/"
    if taken.words and taken.endings:
        return MIXED
    files = zsh_files(taken.endings) if taken.endings else ""
    return f"({words})" if taken.words else files or " "


def fish(commands: Sequence[Command]) -> str:
    """The script for fish."""
    lines = [MADE.format(shell="fish"), "complete -c indexcalc -f"]
    none = "-n __fish_use_subcommand"
    lines += (f"complete -c indexcalc {none} -a {one.name} -d {quoted(short(one.summary))}" for one in commands)
    lines.append(f"complete -c indexcalc {none} -l version -d 'Print the version'")
    for command in commands:
        here = f"complete -c indexcalc -n '__fish_seen_subcommand_from {command.name}'"
        for option in command.options:
            names = " ".join(f"-l {one[2:]}" if one.startswith("--") else f"-s {one[1:]}" for one in option.names)
            value = "" if option.takes is None else f" -x -a {quoted(fish_taken(option.takes))}"
            lines.append(f"{here} {names}{value} -d {quoted(short(option.help))}")
        if command.argument is not None:
            lines.append(f"{here} -a {quoted(fish_taken(command.argument))}")
    return "\n".join([*lines, ""])


def fish_taken(taken: Taken) -> str:
    """The words of fish that complete a value."""
    if taken.list:
        return f"(__fish_append , {' '.join(taken.words)})"
    parts = [*taken.words]
    if taken.folders:
        parts.append("(__fish_complete_directories)")
    parts += (f"(__fish_complete_suffix {ending})" if ending else "(__fish_complete_path)" for ending in taken.endings)
    return " ".join(parts)


SCRIPTS: Mapping[str, Callable[[Sequence[Command]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
"""What writes the script for each shell."""
