# SPDX-License-Identifier: GPL-2.0-only
"""The native tests of module/core (cmocka) as tests for KUnit. What a native test uses beyond the
words below has no counterpart here, and is an error."""

import re
from collections.abc import Callable

# stats.c and math.c compare with arithmetic that a kernel lacks: long double, 128-bit division.
# chase.c needs no KUnit: its chains are walked in each measurement.
HEADERS = ["fixture.h", "json.h", "request.h"]
FILES = ["bad_requests.c", "counter.c", "echo.c", "good_requests.c", "groups.c", "histogram.c",
         "holds.c", "pattern.c", "record.c", "request_json.c", "target.c", "text.c"]

# What KUnit calls cmocka's assertions.
ASSERTIONS: dict[str, Callable[[list[str]], tuple[str, list[str]]]] = {
    "assert_int_equal": lambda args: ("KUNIT_ASSERT_EQ", args),
    "assert_true": lambda args: ("KUNIT_ASSERT_TRUE", args),
    "assert_false": lambda args: ("KUNIT_ASSERT_FALSE", args),
    "assert_null": lambda args: ("KUNIT_ASSERT_NULL", args),
    "assert_non_null": lambda args: ("KUNIT_ASSERT_NOT_NULL", args),
    "assert_ptr_equal": lambda args: ("KUNIT_ASSERT_PTR_EQ", args),
    "assert_string_equal": lambda args: ("KUNIT_ASSERT_STREQ", args),
    "assert_memory_equal": lambda args: ("KUNIT_ASSERT_MEMEQ", args),
    "assert_in_range": lambda args: (
        "KUNIT_ASSERT_TRUE", [f"{args[0]} >= {args[1]} && {args[0]} <= {args[2]}"]),
    "fail_msg": lambda args: ("KUNIT_FAIL_AND_ABORT", args),
    "print_error": lambda args: ("kunit_err", args),
}
# And what the kernel calls functions of libc.
ALLOCATIONS = {"malloc": "kmalloc", "calloc": "kcalloc"}

LEFT = re.compile(r"\bassert_\w+|cmocka|\*\*state"
                  r"|\b(?:malloc|calloc|free|printf|print_error|fail_msg)\(|__int128|\bdouble\b|_Alignas|<(?!linux|kunit)\w+\.h>")
FUNCTION = re.compile(r"^(static [^;={}()]*?\b(\w+))\(([^{};]*)\)\n\{\n(.*?)^\}", re.M | re.S)
PARAMETER = r"(?:const |unsigned |struct )*\w+ \**\w+$"
WIDTH = 100
# Where an argument can be broken: between strings, and after the first of two conditions.
PARTS = re.compile(r'(?<=") (?=")|(?<=&&) ')


def end_of_call(text: str, start: int) -> tuple[int, list[str]]:
    """The arguments of the call whose opening parenthesis is before START, and the place after
    its closing one."""
    depth, at, begin, args = 1, start, start, []
    while depth:
        if text[at] in "\"'":
            quote = text[at]
            at += 1
            while text[at] != quote:
                at += 2 if text[at] == "\\" else 1
        elif text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            depth -= 1
        if (text[at] == "," and depth == 1) or not depth:
            args.append(re.sub(r"\s*\n\s*", " ", text[begin:at]).strip())
            begin = at + 1
        at += 1
    return at, [arg for arg in args if arg]


def column(text: str) -> int:
    """The column that a line of text ends at, with tabs of 8."""
    return len(text.expandtabs(8))


def laid_out(before: str, args: list[str], after: str) -> str:
    """A call on one line, or else broken between arguments below its parenthesis. BEFORE is the
    line up to the parenthesis, AFTER what follows the closing one."""
    lines, indent = [before], column(before)
    start = "\t" * (indent // 8) + " " * (indent % 8)
    for number, arg in enumerate(args):
        last = number == len(args) - 1
        piece = arg + (")" + after if last else ",")
        if number and column(f"{lines[-1]} {piece}") > WIDTH:
            lines += [start + part for part in PARTS.split(piece)]
        else:
            lines[-1] += " " * bool(number) + piece
    return "\n".join(lines)


def with_calls(text: str, name: str,
               change: Callable[[list[str]], tuple[str, list[str]]]) -> str:
    """The text with each call of a function changed, its lines broken anew."""
    at = 0
    while found := re.compile(rf"\b{name}\(").search(text, at):
        end, args = end_of_call(text, found.end())
        new, args = change(args)
        begin = text.rfind("\n", 0, found.start()) + 1
        rest = text[end:end + 1] if text[end:end + 1] in ";," else ""
        call = laid_out(text[begin:found.start()] + new + "(", args or [""], rest)
        text = text[:begin] + call + text[end + len(rest):]
        at = begin + len(text[begin:found.start()]) + len(new) + 1
    return text


def asserting(text: str) -> set[str]:
    """The functions that can fail a test, those that call them included."""
    bodies = {found[2]: found[4] for found in FUNCTION.finditer(text)}
    found: set[str] = set()
    while True:
        words = "|".join([*ASSERTIONS, *found])
        more = {name for name, body in bodies.items() if re.search(rf"\b(?:{words})\(", body)}
        if more == found:
            return found
        found = more


def suite_of(text: str, name: str) -> str:
    """The text with KUnit's list of tests in place of main()."""
    main = re.search(r"^int main\(void\)\n\{\n.*?^\}\n", text, re.M | re.S)
    if not main:
        raise ValueError(f"{name}: has no main()")
    cases = re.findall(r"cmocka_unit_test(?:_setup)?\((\w+)(?:, (\w+))?\)", main[0])
    setups = {setup for _, setup in cases}
    if not cases or len(setups) != 1 or len(cases) != main[0].count("cmocka_unit_test"):
        raise ValueError(f"{name}: main() is not a list of tests that begin alike")
    rows = "".join(f"\tKUNIT_CASE({case}),\n" for case, _ in cases)
    setup = f"\t.init = {setups.pop()},\n" if "" not in setups else ""
    return (text[:main.start()] +
            f"static struct kunit_case cases[] = {{\n{rows}\t{{}}\n}};\n\n"
            f"static struct kunit_suite suite = {{\n\t.name = \"memcache_{name}\",\n{setup}"
            "\t.test_cases = cases,\n};\n\nkunit_test_suite(suite);\n" + text[main.end():])


def handed_on(text: str, names: set[str]) -> str:
    """The text with the test as the first argument of these functions, and of their calls."""
    text = re.sub(r"\(void \*\*state\)", "(struct kunit *test)", text)
    tests = set(re.findall(r"\b(\w+)\(struct kunit \*test\)", text))
    for name in sorted(names - tests):
        new = re.sub(r"^assert_", "check_", name)
        declared = {found.start(2) for found in FUNCTION.finditer(text) if found[2] == name}

        def change(args: list[str], new: str = new) -> tuple[str, list[str]]:
            defined = args == ["void"] or any(re.match(PARAMETER, arg) for arg in args)
            first = "struct kunit *test" if defined else "test"
            return new, [first, *(arg for arg in args if arg != "void")]

        text = with_calls(text, name, change)
        if declared and f"{new}(struct kunit *test" not in text:
            raise ValueError(f"{name}: is defined in a way that is not known")
    return text


def converted(name: str, text: str, headers: str) -> str:
    """A file of native tests, or a header of theirs, for KUnit. HEADERS has the text of all
    headers, whose functions may fail a test, too."""
    if name.endswith(".c"):
        text = suite_of(text, name.removesuffix(".c"))
    text = handed_on(text, asserting(headers + text))
    for old, rule in ASSERTIONS.items():
        text = with_calls(text, old, lambda args, rule=rule: (  # type: ignore[misc]
            rule(args)[0], ["test", *rule(args)[1]]))
    for old, new in ALLOCATIONS.items():
        text = with_calls(text, old, lambda args, new=new: (  # type: ignore[misc]
            new, [*args, "GFP_KERNEL"]))
    text = re.sub(r"\bfree\(", "kfree(", text)
    text = text.replace("_Static_assert(", "static_assert(")
    text = text.replace("#include <stdio.h>", "#include <linux/kernel.h>")
    text = re.sub(r"#include <std\w+\.h>\n", "", text)
    text = re.sub(r"#include <(ctype|string)\.h>", r"#include <linux/\1.h>", text)
    slab = "#include <linux/slab.h>\n" if "GFP_KERNEL" in text else ""
    text = text.replace('#include "cmocka_all.h"\n', f"#include <kunit/test.h>\n{slab}")
    if left := LEFT.search(text):
        raise ValueError(f"{name}: KUnit has nothing for {left[0]}")
    return text
