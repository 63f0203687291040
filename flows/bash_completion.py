"""The completion script for bash, extended for values that bash splits into words (`sample:top_p=0.9`)."""

from click.shell_completion import BashComplete


class Bash(BashComplete):
    """The completion of bash, extended for values with `:` and `=`.

    Bash breaks words at COMP_WORDBREAKS, which include these characters, and replaces only the last part. The script
    joins the parts before it asks newwiki, and removes the earlier parts from each answer.
    """

    source_template = """\
%(complete_func)s() {
    local IFS=$'\\n'
    local response completion type value part kept rest=$COMP_LINE
    local -a words=()

    for part in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
        if [[ ${#words[@]} -eq 0 || $rest == [[:space:]]* ]]; then
            words+=("$part")
        else
            words[-1]+=$part
        fi
        rest=${rest#"${rest%%%%[![:space:]]*}"}
        rest=${rest#"$part"}
    done
    kept=${words[-1]}
    kept=${kept%%"${kept##*[:=]}"}

    response=$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((${#words[@]} - 1)) %(complete_var)s=bash_complete $1)

    for completion in $response; do
        IFS=',' read type value <<< "$completion"

        if [[ $type == 'dir' ]]; then
            COMPREPLY=()
            compopt -o dirnames
        elif [[ $type == 'file' ]]; then
            COMPREPLY=()
            compopt -o default
        elif [[ $type == 'plain' ]]; then
            COMPREPLY+=("${value#"$kept"}")
            [[ $value == *= ]] && compopt -o nospace
        fi
    done

    return 0
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""
