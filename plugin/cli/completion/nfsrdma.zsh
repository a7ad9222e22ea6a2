#compdef nfsrdma
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Completion of nfsrdma for zsh. The build puts the tables of the program's commands and options in
# place of the marked line.

#TABLES#

# _nfsrdma_names LIST [file]: names of this host. The program of PATH is asked, never one that is only
# named on the line.
_nfsrdma_names()
{
	local list=$1 line result=1
	local -a names lines expl

	# Options of a mount are a list.
	[[ $list != options ]] || compset -P '*,'
	for line in ${(f)"$(command nfsrdma names $list ${(Q)PREFIX} 2>/dev/null </dev/null)"}; do
		names+=(${line%%$'\t'*})
		[[ $line == *$'\t'* ]] && lines+=("${line/$'\t'/  -- }") || lines+=($line)
	done
	if [[ $list == options ]]; then
		_wanted options expl 'mount option' compadd -S '' -a names && result=0
	elif (( $#names )); then
		_wanted $list expl ${list%s} compadd -l -d lines -a names && result=0
	fi
	[[ $result == 0 || ${2-} != file ]] || _files && result=0
	return result
}

# _nfsrdma_kind KIND...: what the tables say of a value.
_nfsrdma_kind()
{
	local expl
	local -a words_of

	case $1 in
	words) words_of=("${@:2}"); _wanted values expl value compadd -a words_of ;;
	names) _nfsrdma_names "${@:2}" ;;
	file) _files ;;
	dir) _files -/ ;;
	*) return 1 ;;
	esac
}

# _nfsrdma_word COMMAND COUNT: the operand after so many.
_nfsrdma_word()
{
	local -a kind

	_nfsrdma_operand $1 $2 "${(Q)line[1]}" && _nfsrdma_kind $kind
}

_nfsrdma()
{
	local curcontext=$curcontext state result=1
	local -a line
	local -A opt_args

	_arguments -C : \
		'(- *)'{-h,--help}'[Print this help and exit]' \
		'(- *)'{-V,--version}'[Print the version and exit]' \
		'1: :->command' '*:: :->rest' && result=0
	case $state in
	command) _describe -t commands 'nfsrdma command' _nfsrdma_commands && result=0 ;;
	rest)
		curcontext=${curcontext%:*:*}:nfsrdma-$words[1]:
		_nfsrdma_arguments $words[1]
		;;
	esac
	return result
}

_nfsrdma "$@"
