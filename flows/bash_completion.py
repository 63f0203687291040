"""The script by which bash completes: click's, for values in which bash sees several words (`sample:top_p=0.9`)."""

from click.shell_completion import BashComplete


class Bash(BashComplete):
    """bash breaks words at COMP_WORDBREAKS, `:` and `=` among them, and puts a completion in the place of the last part
    alone. So the parts are put together before newwiki is asked, and what stands before the last is taken off each
    answer."""

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
