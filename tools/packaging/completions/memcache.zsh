#compdef memcache memcache-user
# SPDX-License-Identifier: GPL-2.0-only
# Completion for zsh.

local -a found names texts
local line
found=("${(@f)$(memcache complete $service "${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
for line in ${found:#}; do
	names+=("${line%%$'\t'*}")
	texts+=("${line/$'\t'/  }")
done
if (( ! $#names )); then
	_files
elif [[ $names[1] == *= ]]; then
	compadd -S '' -d texts -a names
else
	compadd -d texts -a names
fi
