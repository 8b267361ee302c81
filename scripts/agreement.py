#!/usr/bin/env python3
"""What another implementation of the score gives for ten kinds of altered copies of each page in a folder.

usage: agreement.py METRIC_FOLDER PAGES_FOLDER OUT.json
METRIC_FOLDER holds the other implementation as `metric.py` with `load(path)` and `score(reference, page)`.
The copies are those of tests/vision/fidelity/altered.rs; compare with `cargo run --release -p facsimile-vision
--example agreement -- OUT.json PAGES_FOLDER`.
"""
import glob
import json
import os
import sys

import numpy as np

KINDS = ["moved", "half", "recoloured", "resized", "reworded", "blank", "pasted", "scaled", "shifted-card", "background"]
NUMBERS = ["block", "text", "pos", "color", "visual", "textF", "place", "style", "ghost", "strict", "total", "ssim"]


class Chance:
    """Numbers from 0 to 1 that any language can make."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) / 2**31


def altered(page, kind):
    chance = Chance(KINDS.index(kind) + 1)
    pixels = page["img"]
    height, width = pixels.shape[:2]
    texts = [dict(line) for line in page["texts"]]
    copy = dict(page, texts=texts)
    if kind == "moved":
        copy["img"] = np.roll(pixels, (3, 3), (0, 1))
        for line in texts:
            line.update(x=line["x"] + 3, y=line["y"] + 3)
    elif kind == "half":
        copy["texts"] = [line for line in texts if chance.next() < 0.5]
    elif kind == "recoloured":
        copy["img"] = pixels[..., ::-1]
        for line in texts:
            line["color"] = line["color"][:3][::-1]
    elif kind == "resized":
        copy["img"] = np.concatenate([pixels, np.full((137, width, 3), 255, np.uint8)])
        copy["height"] = page["height"] + 137
    elif kind == "reworded":
        for line in texts:
            if chance.next() < 0.3:
                line["text"] = line["text"][::-1]
    elif kind == "blank":
        copy.update(texts=[], img=np.full_like(pixels, 255))
    elif kind == "pasted":
        copy.update(texts=[], img_notext=pixels)
    elif kind == "scaled":
        for line in texts:
            line.update(fs=line["fs"] * 1.15, w=line["w"] * 1.15)
    elif kind == "shifted-card":
        x, y, w, h = width // 4, height // 5, width // 3, height // 4
        copy["img"] = pixels.copy()
        copy["img"][y : y + h, x : x + w] = 255
        copy["img"][y + 18 : y + 18 + h, x : x + w] = pixels[y : y + h, x : x + w]
        for line in texts:
            if x <= line["x"] < x + w and y <= line["y"] < y + h:
                line["y"] += 18
    elif kind == "background":
        copy["img"] = pixels.copy()
        bins = (pixels // 8).reshape(-1, 3).astype(int) @ [1024, 32, 1]
        copy["img"].reshape(-1, 3)[bins == np.bincount(bins).argmax()] = (200, 220, 240)
    return copy


def main(metric_folder, folder, out):
    sys.path.insert(0, metric_folder)
    import metric

    numbers = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        if not os.path.exists(path[:-5] + ".png"):
            continue
        page = metric.load(path)
        of_page = numbers[os.path.basename(path)[:-5]] = {}
        for kind in KINDS:
            scored = metric.score(page, altered(page, kind))
            of_page[kind] = {name: round(float(scored.get(name, 0)), 5) for name in NUMBERS}
    with open(out, "w") as file:
        json.dump(numbers, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
