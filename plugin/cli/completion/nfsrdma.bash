# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Completion of nfsrdma for bash 4.2 and later with bash-completion. The build puts the tables of the
# program's commands and options in place of the marked line.

_nfsrdma_commands=() # and the functions _nfsrdma_options, _nfsrdma_value and _nfsrdma_operand:
#TABLES#

# _nfsrdma_unquote WORD: sets plain to the word without its quotes, quote to the one that is open, and
# kept to the number of characters of plain that readline does not replace: it takes a part of a word
# after a character of COMP_WORDBREAKS for a word. Nothing is expanded; 1 if bash would expand it.
_nfsrdma_unquote()
{
	local word=$1 i char before=0

	plain='' quote='' kept=0
	for ((i = 0; i < ${#word}; i++)); do
		char=${word:i:1}
		case $quote$char in
		"''" | '""') quote='' kept=$before ;;
		"'"?*) plain+=$char ;;
		'"'\\)
			((++i))
			char=${word:i:1}
			[[ $char == [\"\\\$\`] ]] || plain+=\\
			plain+=$char
			;;
		'"$' | '"`' | '$' | '`') return 1 ;;
		'"'?*) plain+=$char ;;
		"'" | '"') quote=$char before=$kept kept=${#plain} ;;
		\\)
			((++i))
			plain+=${word:i:1}
			;;
		*)
			plain+=$char
			[[ $COMP_WORDBREAKS != *"$char"* ]] || kept=${#plain}
			;;
		esac
	done
}

# _nfsrdma_offer WORD...: those that continue the word at the cursor, quoted as it is.
_nfsrdma_offer()
{
	local word

	for word; do
		[[ $word == "$plain"* ]] || continue
		word=${word:kept}
		case $quote in
		"'") word=${word//\'/\'\\\'\'} ;;
		'"')
			word=${word//\\/\\\\}
			word=${word//\"/\\\"}
			word=${word//\$/\\\$}
			word=${word//\`/\\\`}
			;;
		*) [[ $word != *[^[:alnum:]_./:@%+,=-]* ]] || printf -v word %q "$word" ;;
		esac
		COMPREPLY+=("$word")
	done
	[[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace
}

# _nfsrdma_names BEFORE LIST: names of this host. The program of PATH is asked, never one that is only
# named on the line.
_nfsrdma_names()
{
	local before=$1 name names=()

	# Options of a mount are a list.
	if [[ $2 == options ]]; then
		[[ ${plain#"$before"} != *,* ]] || before=${plain%,*},
		compopt -o nospace
	fi
	while IFS=$'\t' read -r name _; do
		names+=("$before$name")
	done < <(command nfsrdma names "$2" "${plain#"$before"}" 2>/dev/null </dev/null)
	_nfsrdma_offer "${names[@]}"
}

# _nfsrdma_paths [-d]: files or folders, by the functions of bash-completion 2.12 and later, or older ones.
_nfsrdma_paths()
{
	if declare -F _comp_compgen >/dev/null; then
		_comp_compgen -a filedir "$@"
	else
		_filedir "$@"
	fi
}

# _nfsrdma_complete BEFORE KIND...: what the tables say of a value; BEFORE is "--option=" or empty.
_nfsrdma_complete()
{
	local before=$1 kind=$2

	shift 2
	case $kind in
	words) _nfsrdma_offer "${@/#/$before}" ;;
	names)
		_nfsrdma_names "$before" "$1"
		[[ ${2:-} != file || ${#COMPREPLY[@]} != 0 ]] || _nfsrdma_paths
		;;
	file) _nfsrdma_paths ;;
	dir) _nfsrdma_paths -d ;;
	esac
}

_nfsrdma()
{
	# shellcheck disable=SC2034 # those of bash-completion
	local cur prev words cword split was_split comp_args
	local plain quote kept command='' first='' option='' count=0 ended='' i kind options

	if declare -F _comp_initialize >/dev/null; then
		_comp_initialize -n '=:' -- "$@" || return 0
	else
		_init_completion -n '=:' || return 0
	fi
	for ((i = 1; i < cword; i++)); do
		if [[ $option ]]; then
			option=''
			continue
		fi
		case $ended${words[i]} in
		--) ended=yes ;;
		-*=*) ;;
		-*) _nfsrdma_value "$command" "${words[i]}" && option=${words[i]} ;;
		*)
			if [[ ! $command ]]; then
				command=${words[i]}
			else
				[[ $((count++)) != 0 ]] || first=${words[i]}
			fi
			;;
		esac
	done
	_nfsrdma_unquote "$cur" || return 0
	if [[ $option ]]; then
		_nfsrdma_value "$command" "$option" && _nfsrdma_complete '' "${kind[@]}"
	elif [[ ! $ended && $cur == --*=* ]]; then
		option=${cur%%=*}
		cur=${cur#*=}
		_nfsrdma_value "$command" "$option" && _nfsrdma_complete "$option=" "${kind[@]}"
	elif [[ ! $ended && $cur == -* ]]; then
		_nfsrdma_options "$command"
		_nfsrdma_offer "${options[@]}"
	elif [[ ! $command ]]; then
		_nfsrdma_offer "${_nfsrdma_commands[@]}"
	else
		_nfsrdma_operand "$command" "$count" "$first" && _nfsrdma_complete '' "${kind[@]}"
	fi
	return 0
} && complete -F _nfsrdma nfsrdma
