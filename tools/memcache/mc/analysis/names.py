# SPDX-License-Identifier: GPL-2.0-only
"""The models of CPU that people's names mean: of the marketing, of cores, of boards and clouds.

The numbers are those of the Linux kernel's lists of models and parts (intel-family.h, cputype.h)
and of CPUID dumps, as references.json has them. The names are the makers'.
"""

import re

AMD, INTEL, ARM = "AuthenticAMD", "GenuineIntel 6", "Arm 8"
# The key of a model, its core, and names of CPUs that are of this model, as a regular expression.
# The first row whose expression fits is the one of the name.
MODELS = (
    (f"{AMD} 21 1", "Bulldozer, Interlagos", r"fx [468]1\d\d"),
    (f"{AMD} 21 2", "Piledriver, Vishera", r"fx ([468]3|9[35])\d\de?"),
    (f"{AMD} 23 1", "Zen, Naples, Summit Ridge",
     r"epyc 7\d\d1p?|(ryzen [357] (pro )?)?1[2-9]\d0x?"),
    (f"{AMD} 23 8", "Zen+, Pinnacle Ridge", r"(ryzen [357] )?2[35-7]\d\d(x|e|h)?|29[25-9]0w?x"),
    (f"{AMD} 23 17", "Zen, Raven Ridge", r"(ryzen [357] )?2[2457]\d0[gu]e?"),
    (f"{AMD} 23 24", "Zen+, Picasso", r"(ryzen [357] )?3[2457][05]\d[ghu]e?"),
    (f"{AMD} 23 49", "Zen 2, Rome, Castle Peak",
     r"epyc 7[\dbfhjv]\d2p?|epyc 7r32|39([679]0|[4-9]5w)x"),
    (f"{AMD} 23 113", "Zen 2, Matisse", r"(ryzen [3579] )?3[135-9]\d0(x|xt)?"),
    (f"{AMD} 23 96", "Zen 2, Renoir", r"(ryzen [3579] )?4\d\d\d(g|ge|u|h|hs)"),
    (f"{AMD} 23 104", "Zen 2, Lucienne", r"(ryzen [357] )?5[357]00u"),
    (f"{AMD} 25 1", "Zen 3, Milan", r"epyc 7[\dbfjrv]\d3[px]?"),
    (f"{AMD} 25 8", "Zen 3, Chagall", r"59[4-9]5wx"),
    (f"{AMD} 25 33", "Zen 3, Vermeer",
     r"(ryzen [579] )?5([6-9][05]0(x|x3d|xt|f)|500x3d|[689][05]0)"),
    (f"{AMD} 25 80", "Zen 3, Cezanne",
     r"(ryzen [3579] )?(5\d\d\d(g|ge|u|h|hs|hx)|5[57]00|7[357]30u)"),
    (f"{AMD} 25 68", "Zen 3+, Rembrandt", r"(ryzen [3579] )?(6\d\d\d|7[3-7]35)(u|h|hs|hx)"),
    (f"{AMD} 25 17", "Zen 4, Genoa", r"epyc 9[0-6br]\d4[pxf]?"),
    (f"{AMD} 25 160", "Zen 4c, Bergamo, Siena", r"epyc (97\d4s?|8[0-5][23]4pn?)"),
    (f"{AMD} 25 24", "Zen 4, Storm Peak", r"79([678]0|[4-9]5w)x"),
    (f"{AMD} 25 97", "Zen 4, Raphael",
     r"(ryzen [3579] )?7([4-9][05]0[xf]?(3d)?|[5-9]4[05]hx(3d)?)|epyc 4\d\d4px?"),
    (f"{AMD} 25 116", "Zen 4, Phoenix", r"(ryzen [3579] )?7[5-9]40(u|h|hs)"),
    (f"{AMD} 25 117", "Zen 4, Hawk Point", r"(ryzen [3579] )?8[4-9]\d\d(u|h|hs|g|ge|f)"),
    (f"{AMD} 26 17", "Zen 5c, Turin Dense", r"epyc 9(645|745|825|845|965)p?"),
    (f"{AMD} 26 2", "Zen 5, Turin", r"epyc 9[\dr]\d5[pf]?"),
    (f"{AMD} 26 8", "Zen 5, Shimada Peak", r"99([678]0|[4-9]5w)x"),
    (f"{AMD} 26 68", "Zen 5, Granite Ridge",
     r"(ryzen [3579] )?9([5-9][05]0x?(3d)?|[89][56]5hx(3d)?)|epyc 4\d\d5px?"),
    (f"{AMD} 26 36", "Zen 5, Strix Point", r"(ryzen ai 9 )?(hx )?3[67]\d"),
    (f"{AMD} 26 112", "Zen 5, Strix Halo", r"(ryzen ai )?max\+? (pro )?3[89]\d"),
    (f"{AMD} 26 96", "Zen 5, Krackan Point", r"ryzen ai [57] 3[45]0"),
    (f"{INTEL} 26", "Nehalem, server", r"xeon [elwx]55\d\d|i7 9[2-7]\d"),
    (f"{INTEL} 44", "Westmere, server", r"xeon [elwx]56\d\d|i7 9[89]\dx?"),
    (f"{INTEL} 45", "Sandy Bridge, server", r"i7 3[89]\d\d[kx]|xeon e5 (16|24|26|46)\d\d"),
    (f"{INTEL} 42", "Sandy Bridge", r"i[357] 2\d\d\d[a-z]*|xeon e3 12\d\d"),
    (f"{INTEL} 62", "Ivy Bridge, server", r"i7 4(82|93|96)0[kx]|xeon e[57] \d{4} v2"),
    (f"{INTEL} 58", "Ivy Bridge", r"i[357] 3\d\d\d[a-z]*|xeon e3 12\d\d v2"),
    (f"{INTEL} 63", "Haswell, server", r"i7 5(820|930|960)[kx]|hsx|xeon e[57] \d{4} v3"),
    (f"{INTEL} 69", "Haswell, mobile", r"i[357] 4\d\d\d[uy]"),
    (f"{INTEL} 70", "Haswell, Crystal Well", r"i7 4[789][5-9]0hq|i[57] 4\d\d\dr"),
    (f"{INTEL} 60", "Haswell", r"i[357] 4\d\d\d[a-z]*|xeon e3 12\d\d v3"),
    (f"{INTEL} 79", "Broadwell, server", r"i7 6[89]\d\d[kx]|bdx|xeon e[57] \d{4} v4"),
    (f"{INTEL} 86", "Broadwell, D", r"xeon d 15\d\dn?"),
    (f"{INTEL} 87", "Knights Landing", r"knl|xeon phi( 72\d0f?)?"),
    (f"{INTEL} 61", "Broadwell, mobile", r"i[357] 5\d\d\d[uy]"),
    (f"{INTEL} 71", "Broadwell", r"i[57] 5\d\d\d[a-z]*|xeon e3 12\d\d v4"),
    (f"{INTEL} 78", "Skylake, mobile", r"i[357] 6\d\d\d[uy]|m[357] 6y\d\d"),
    (f"{INTEL} 94", "Skylake", r"i[357] 6\d\d\d[a-z]*|xeon e3 1[25]\d\d v5"),
    (f"{INTEL} 85 steppings 0-4", "Skylake, server",
     r"i[79] (7[89]|9[89])\d\dxe?|skylake (x|sp|w)|skx|xeon [dw] 21\d\d[a-z]*|"
     r"xeon ((platinum|gold|silver|bronze) )?[3-68]1\d\d[a-z]*"),
    (f"{INTEL} 85 steppings 5-7", "Cascade Lake",
     r"i9 109\d\dxe?|cascade lake (x|sp|ap|w)|clx|xeon w [23]2\d\d[a-z]*|"
     r"xeon ((platinum|gold|silver|bronze) )?[3-689]2\d\d[a-z]*"),
    (f"{INTEL} 85 steppings 8-15", "Cooper Lake", r"cpx|xeon ((platinum|gold) )?[5-8]3\d\dh[lc]?"),
    (f"{INTEL} 102", "Cannon Lake", r"i3 8121u"),
    (f"{INTEL} 142", "Kaby Lake, mobile", r"i[357] (7\d|8[2-6])\d\d[uy]|i[357] 10[1-6]\d\d[uy]"),
    (f"{INTEL} 158", "Kaby Lake, Coffee Lake",
     r"i[3579] [789]\d\d\d[a-z]*|xeon e3 12\d\d v6|xeon e 2[12]\d\d[gm]?"),
    (f"{INTEL} 166", "Comet Lake, mobile", r"i7 10710u"),
    (f"{INTEL} 126", "Ice Lake, client", r"i[357] 10\d\dn?g\d"),
    (f"{INTEL} 165", "Comet Lake", r"i[3579] 10[1-9]\d\d[a-z]*"),
    (f"{INTEL} 106", "Ice Lake, server",
     r"icx|ice lake (sp|x)|xeon w 33\d\dx?|xeon ((platinum|gold|silver) )?[4-68]3\d\d[a-z]*"),
    (f"{INTEL} 141", "Tiger Lake, H", r"i[579] 11[2-9]\d\dh[a-z]*"),
    (f"{INTEL} 140", "Tiger Lake", r"i[357] 11\d\dg\d"),
    (f"{INTEL} 167", "Rocket Lake", r"i[579] 11[4-9]\d\d[a-z]*"),
    (f"{INTEL} 154", "Alder Lake, mobile", r"i[3579] 12\d\d\d?(h|hk|p|u)"),
    (f"{INTEL} 151", "Alder Lake", r"i[3579] 12\d\d\d[a-z]*"),
    (f"{INTEL} 190", "Alder Lake-N, Gracemont", r"n(50|95|97|[12][05]0|35[05])|i3 n30\d"),
    (f"{INTEL} 186", "Raptor Lake, mobile", r"i[3579] 13\d\d\d?(h|hk|p|u)"),
    (f"{INTEL} 191", "Raptor Lake", r"raptor lake s|i[35] 1[34][1-6]00[ft]?"),
    (f"{INTEL} 183", "Raptor Lake", r"i[3579] 1[34]\d\d\d[a-z]*"),
    (f"{INTEL} 156", "Jasper Lake, Tremont", r"((celeron|pentium) )?n(4500|4505|510[05]|600[05])"),
    (f"{INTEL} 143", "Sapphire Rapids",
     r"spr|xeon w[3579]? [23][45]\d\dx?|"
     r"xeon ((platinum|gold|silver|bronze|max) )?[3-689]4\d\d[a-z+]*"),
    (f"{INTEL} 207", "Emerald Rapids",
     r"emr|xeon ((platinum|gold|silver|bronze) )?[3-68]5\d\d[a-z+]*"),
    (f"{INTEL} 175", "Sierra Forest", r"srf|xeon (6 )?6[79]\d\de"),
    (f"{INTEL} 173", "Granite Rapids", r"gnr|xeon (6 )?6[57-9]\d\dp"),
    (f"{INTEL} 170", "Meteor Lake", r"(core )?ultra [579] 1\d\d[hu]l?"),
    (f"{INTEL} 189", "Lunar Lake", r"(core )?ultra [579] 2\d\dv"),
    (f"{INTEL} 181", "Arrow Lake, U", r"(core )?ultra [57] 2\d\du"),
    (f"{INTEL} 197", "Arrow Lake, H", r"(core )?ultra [579] 2\d\dh"),
    (f"{INTEL} 198", "Arrow Lake", r"(core )?ultra [579] 2\d\d(k|kf|f|t|hx)?"),
    (f"{INTEL} 204", "Panther Lake", r"(core )?ultra [579x]+ 3\d\d[a-z]*"),
    (f"{ARM} 3331 brcm,bcm2837", "Cortex-A53", r"pi (3|zero 2) ?[ab]?\+?w?"),
    (f"{ARM} 3336 brcm,bcm2711", "Cortex-A72", r"pi (4 ?b?|400)|cm ?4"),
    (f"{ARM} 3339 brcm,bcm2712", "Cortex-A76", r"pi 5(00)? ?b?|cm ?5"),
    (f"{ARM} 3336", "Cortex-A72", r"(aws )?graviton ?1?"),
    (f"{ARM} 3340", "Neoverse-N1",
     r"(aws )?graviton ?2|(ampere )?altra( max)?( (q80|m128) \d\d)?|(q80|m128) \d\d"),
    (f"{ARM} 3392", "Neoverse-V1", r"(aws )?graviton ?3e?"),
    (f"{ARM} 3407", "Neoverse-V2",
     r"(aws )?graviton ?4|(nvidia )?(grace( hopper)?|gh200)|(google )?axion"),
    (f"{ARM} 3401", "Neoverse-N2", r"(azure )?cobalt( 100)?|yitian 710"),
    (f"{ARM} 3394 nvidia,tegra234", "Cortex-A78AE", r"(jetson )?(agx )?orin( n[xa].*)?"),
    ("Ampere 8 2755", "Ampere-1", r"ampereone"),
    ("HiSilicon 8 3329", "TaiShan v110", r"kunpeng 920"),
    ("Fujitsu 8 1", "A64FX", r"a64fx"),
    ("Qualcomm 8 1 qcom,x1e80100", "Oryon", r"(snapdragon )?x elite|x1e80100|x1e \d\d 100"),
    ("Apple 8 35", "Firestorm", r"(apple )?m1"),
    ("Apple 8 37", "Firestorm", r"(apple )?m1 pro"),
    ("Apple 8 41", "Firestorm", r"(apple )?m1 (max|ultra)"),
    ("Apple 8 51", "Avalanche", r"(apple )?m2"),
    ("Apple 8 53", "Avalanche", r"(apple )?m2 pro"),
    ("Apple 8 57", "Avalanche", r"(apple )?m2 (max|ultra)"),
    ("Apple 8 67", "Everest", r"(apple )?m3"),
)
MAKERS = {"AuthenticAMD": "AMD", "GenuineIntel": "Intel", "CentaurHauls": "VIA",
          "HygonGenuine": "Hygon"}


def plain(name: str) -> str:
    """A name without signs, decorations and maker, its words with one space between them."""
    words = re.sub(r"@.*|\bwith .*|\brev .*|\d+[- ]core\b.*|\d+th gen\b|\((r|tm)\)|[-_,]|\bmodel\b|"
                   r"\b(amd|intel|arm|core|cpu|processor|threadripper( pro)?)\b(?! ultra)", " ",
                   name.lower())
    return re.sub(r"\b(raspberry pi|raspi|rpi|pi) ?(?=\d|zero)", "pi ", " ".join(words.split()))


def meant(name: str) -> list[str]:
    """The keys of models that a marketing name, or the name of a core, means; none: not known."""
    word = plain(name)
    for key, _, pattern in MODELS:
        if any(re.fullmatch(pattern, one) for one in (
                word, f"xeon {word}", f"epyc {word}", word.removeprefix("ryzen "))):
            return [key]
    return [key for key, cores, _ in MODELS if "," not in key and is_core(name, key, cores)] \
        or [key for key, _, pattern in MODELS if _is_family(word, pattern)]


def is_core(name: str, key: str, cores: str = "") -> bool:
    """Whether this names a core of a model, or is a word of such a name; `zen5` is Zen 5."""
    word, cores = plain(name), cores or core_of(key)
    return bool(word) and any(
        f" {word} " in f" {plain(core)} " or plain(core).replace(" ", "") == word.replace(" ", "")
        for core in [cores, *cores.split(", ")])


def _is_family(words: str, pattern: str) -> bool:
    """Whether names of a pattern begin with these words, such as `xeon gold` or `i7`, which are no
    name of one model."""
    return bool(re.match("[a-z]{4}|i[3579]", words)) and all(
        re.search(rf"\b{re.escape(one)}\b" if len(one) > 2 else
                  rf"{one[:-1] and one[0]}\[\d*{re.escape(one[-1])}", pattern)
        for one in words.split())


def core_of(key: str) -> str:
    """The core of a model, as far as it is in the table."""
    return next((core for known, core, _ in MODELS if f"{key} ".startswith(f"{known} ")), "")


def maker_of(key: str) -> str:
    vendor = key.partition(" ")[0]
    return MAKERS.get(vendor, vendor)
