# SPDX-License-Identifier: GPL-2.0-only
# Prints what a Makefile says of itself: `target: ## text` is a command,
# `##@ text` starts a group, `#= NAME=default  text` is a setting.

BEGIN {
	print "memcache: memory by cache attribute, measured from inside the kernel"
	print "\nUsage: make COMMAND [NAME=value]..."
}

function line(left, right) { printf "  %-22s %s\n", left, right }

/^##@ / { sub(/^##@ /, ""); print "\n" $0; next }

/^#= / {
	name = $2
	sub(/^#= +[^ ]+ +/, "")
	line(name, $0)
}

/^[a-z-]+:.* ## / {
	name = $1
	sub(/:.*/, "", name)
	sub(/^.* ## /, "")
	line("make " name, $0)
}
