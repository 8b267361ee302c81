#!/usr/bin/env python3
"""Makes the measuring fonts beside this file from Debian's packages.

usage: subset.py [ROOT...]    needs PyPI fonttools and Debian's fonts-liberation2 fonts-dejavu-core fonts-noto-core
                              fonts-roboto-unhinted fonts-inter fonts-open-sans, installed or unpacked under ROOT
Keeps the characters the recogniser can read, kerning and the outlines; drops hinting and all other features.
The results carry a name of their own, as the licences ask of changed fonts.
"""
import os
import sys

from fontTools import subset

HERE = os.path.dirname(os.path.abspath(__file__))
TRUETYPE, OPENTYPE = "/usr/share/fonts/truetype/", "/usr/share/fonts/opentype/"
ROOTS = ["", *sys.argv[1:]]
SOURCES = {
    "inter-400": OPENTYPE + "inter/Inter-Regular.otf",
    "inter-500": OPENTYPE + "inter/Inter-Medium.otf",
    "inter-600": OPENTYPE + "inter/Inter-SemiBold.otf",
    "inter-700": OPENTYPE + "inter/Inter-Bold.otf",
    "roboto-400": TRUETYPE + "roboto/unhinted/RobotoTTF/Roboto-Regular.ttf",
    "roboto-500": TRUETYPE + "roboto/unhinted/RobotoTTF/Roboto-Medium.ttf",
    "roboto-700": TRUETYPE + "roboto/unhinted/RobotoTTF/Roboto-Bold.ttf",
    "liberation-sans-400": TRUETYPE + "liberation2/LiberationSans-Regular.ttf",
    "liberation-sans-700": TRUETYPE + "liberation2/LiberationSans-Bold.ttf",
    "open-sans-400": TRUETYPE + "open-sans/OpenSans-Regular.ttf",
    "open-sans-600": TRUETYPE + "open-sans/OpenSans-Semibold.ttf",
    "open-sans-700": TRUETYPE + "open-sans/OpenSans-Bold.ttf",
    "open-sans-condensed-300": TRUETYPE + "open-sans/OpenSans-CondLight.ttf",
    "open-sans-condensed-700": TRUETYPE + "open-sans/OpenSans-CondBold.ttf",
    "noto-sans-400": TRUETYPE + "noto/NotoSans-Regular.ttf",
    "noto-sans-700": TRUETYPE + "noto/NotoSans-Bold.ttf",
    "liberation-serif-400": TRUETYPE + "liberation2/LiberationSerif-Regular.ttf",
    "liberation-serif-400-italic": TRUETYPE + "liberation2/LiberationSerif-Italic.ttf",
    "liberation-serif-700": TRUETYPE + "liberation2/LiberationSerif-Bold.ttf",
    "liberation-mono-400": TRUETYPE + "liberation2/LiberationMono-Regular.ttf",
    "liberation-mono-700": TRUETYPE + "liberation2/LiberationMono-Bold.ttf",
    "dejavu-sans-400": TRUETYPE + "dejavu/DejaVuSans.ttf",
    "dejavu-sans-700": TRUETYPE + "dejavu/DejaVuSans-Bold.ttf",
}


def main():
    keys = open(os.path.join(HERE, "..", "models", "ppocrv6-rec-small-latin.keys.txt"), encoding="utf8").read()
    text = "".join(sorted(set(keys.replace("\n", "")) | {" ", "\u00a0"}))
    total = 0
    for name, source in SOURCES.items():
        options = subset.Options()
        options.layout_features = ["kern"]
        options.hinting = False
        options.desubroutinize = False
        options.name_IDs = [0, 1, 2, 13, 14]
        options.notdef_outline = True
        options.drop_tables += ["DSIG", "FFTM", "GDEF", "hdmx", "VDMX", "LTSH", "gasp", "meta", "STAT", "MATH"]
        source = next(root + source for root in ROOTS if os.path.exists(root + source))
        font = subset.load_font(source, options)
        subsetter = subset.Subsetter(options)
        subsetter.populate(text=text)
        subsetter.subset(font)
        for record in font["name"].names:
            if record.nameID in (1, 4, 6, 16):
                record.string = "FacsimileMeasure-" + name
        if "CFF " in font:
            font["CFF "].cff.fontNames[0] = "FacsimileMeasure-" + name
            for key in ("FullName", "FamilyName"):
                font["CFF "].cff.topDictIndex[0].rawDict.pop(key, None)
        target = os.path.join(HERE, name + os.path.splitext(source)[1])
        font.save(target)
        size = os.path.getsize(target)
        total += size
        print(f"{size:7} {name}")
    print(f"{total:7} in all")


main()
