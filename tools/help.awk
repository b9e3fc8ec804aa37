# SPDX-License-Identifier: GPL-2.0-only
# Prints what a Makefile says of itself: `target: ## text` is a command, `##@ text` starts a
# group, `#= NAME=default  text` is a setting. `##= title` starts a part; the one that is
# printed has the number `part`.

function line(left, right) { printf "  %-22s %s\n", left, right }

/^##= / {
	sub(/^##= /, "")
	if (++seen == part)
		print $0 "\n"
}

seen != part { next }

/^##@ / { sub(/^##@ /, ""); print "\n" $0 }

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
