# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Completion for bash, with the functions of the package bash-completion.

_memcache()
{
	local cur words cword
	_get_comp_words_by_ref -n =: cur words cword
	words=("${words[@]:1:cword}")
	mapfile -t COMPREPLY < <(memcache complete "${1##*/}" "${words[@]//[\"\']/}" 2>/dev/null |
		cut -f 1)
	[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace
	# bash takes what is before the last = for a word of its own, unless it is in quotes.
	[[ $cur != [^\"\']*=* ]] || COMPREPLY=("${COMPREPLY[@]#"${cur%=*}="}")
}
complete -o default -F _memcache memcache memcache-user
