"""Counts of what was found in many recordings, as a table."""
import collections

import numpy as np

from .checks import KINDS

STEP_CLASSES = ((0.5e-3, 1e-3), (1e-3, 2e-3), (2e-3, 5e-3), (5e-3, 1e-2))  # [s]


def step_class(dt):
    for k, (_, high) in enumerate(STEP_CLASSES):
        if dt <= high:
            return k
    return len(STEP_CLASSES) - 1


class Tally:
    """What was found, to be merged and printed. Plain numbers and texts only, so that it can be JSON."""

    def __init__(self):
        self.scenes = self.steps = self.inaccurate_steps = 0
        self.crashes, self.hangs, self.stopped = [], [], []
        self.wrong = collections.Counter()           # steps, by kind
        self.wrong_scenes = collections.Counter()    # scenes, by kind
        self.honest = collections.Counter()          # steps called inaccurate, by kind and step class
        self.steps_of_class = collections.Counter()
        self.inaccurate_of_class = collections.Counter()
        self.shares = {}                             # family -> scenes, and how they were flagged, by step class
        self.worst = {}                              # kind -> (value, text)
        self.offenders = {}                          # scene -> kinds
        self.flagged = []                            # scenes that can be stepped right and have a step that was flagged

    def add_run(self, run):
        name = run["scene"]
        if run["hang"]:
            self.hangs.append(name)
        elif run["signal"] or run["status"]:
            self.crashes.append(f"{name} (status {run['status']}, signal {run['signal']}: {run.get('exception', '')})")
        elif run.get("exception"):
            self.stopped.append(f"{name} ({run['exception']})")
        else:
            return
        self.offenders.setdefault(name, []).append("ended badly")

    def add_flags(self, family, run, recording):
        """Whether the run flagged a step; apart where the scene cannot be stepped right: faults at its start, or surroundings
        and joints that leave no motion from its first flag on."""
        if recording.accurate.all():
            kind = "fine"
        elif run.get("start"):
            kind = "start"
        else:
            kind = "impossible" if run.get("contradiction") else "flagged"
        if kind == "flagged":
            self.flagged.append(run["scene"])
        counts = self.shares.setdefault(family, {}).setdefault(kind, [0] * len(STEP_CLASSES))
        counts[step_class(recording.dt)] += 1

    def add_scene(self, name, recording, measures):
        count = len(recording.time) - 1
        of_class = str(step_class(recording.dt))
        self.scenes += 1
        self.steps += count
        self.steps_of_class[of_class] += count
        missed = int((~recording.accurate[1:]).sum())
        self.inaccurate_steps += missed
        self.inaccurate_of_class[of_class] += missed
        for measure in measures:
            exceeds = measure.exceeds()
            claimed = recording.accurate.copy()
            if measure.kind == "escape":  # honest when a step up to then was called inaccurate
                claimed = (~recording.accurate).cumsum() == 0
            elif measure.kind == "nan":  # never honest
                claimed = np.ones_like(recording.accurate)
            wrong = exceeds & claimed
            self.honest[f"{measure.kind} {of_class}"] += int((exceeds & ~claimed).sum())
            if not wrong.any():
                continue
            self.wrong[measure.kind] += int(wrong.sum())
            self.wrong_scenes[measure.kind] += 1
            self.offenders.setdefault(name, []).append(measure.kind)
            value = measure.value.copy()
            value[~wrong] = -1.0
            frame, k = divmod(int(value.argmax()), value.shape[1])
            self._keep_worst(measure, name, frame, k, recording)

    def _keep_worst(self, measure, name, frame, k, recording):
        value = float(measure.value[frame, k])
        text = (f"{name} step {frame} (dt {1e3 * recording.dt:.3g} ms) {measure.names[k]}: {value:.3e} > "
                f"{measure.bound:.1e}; {measure.numbers(frame, k)}")
        listed = self.worst.setdefault(measure.kind, [])
        listed.append((value, text))
        listed.sort(key=lambda item: -item[0])
        del listed[5:]

    def merge(self, other):
        for key in ("scenes", "steps", "inaccurate_steps"):
            setattr(self, key, getattr(self, key) + getattr(other, key))
        for key in ("crashes", "hangs", "stopped", "flagged"):
            getattr(self, key).extend(getattr(other, key))
        for key in ("wrong", "wrong_scenes", "honest", "steps_of_class", "inaccurate_of_class"):
            getattr(self, key).update(getattr(other, key))
        for family, kinds in other.shares.items():
            for kind, counts in kinds.items():
                mine = self.shares.setdefault(family, {}).setdefault(kind, [0] * len(STEP_CLASSES))
                mine[:] = [a + b for a, b in zip(mine, counts)]
        for kind, listed in other.worst.items():
            mine = self.worst.setdefault(kind, [])
            mine.extend(tuple(item) for item in listed)
            mine.sort(key=lambda item: -item[0])
            del mine[5:]
        self.offenders |= other.offenders

    def is_clean(self):
        return not (self.crashes or self.hangs or self.stopped or sum(self.wrong.values()))

    def summary(self):
        wrong = ", ".join(f"{n} {kind}" for kind, n in sorted(self.wrong.items())) or "none"
        return (f"{self.scenes} scenes: {self.steps} steps, wrong called right: {wrong}; called inaccurate: "
                f"{self.inaccurate_steps}; {len(self.crashes)} crashes, {len(self.hangs)} hangs, "
                f"{len(self.stopped)} stopped, {self.wrong['nan']} with NaN")

    def _share_lines(self):
        """Scenes with a step that was flagged, of those that can be stepped right; the others beside them."""
        lines = [f"{'flagged scenes by dt [ms]':<28}" + "".join(f"{1e3 * a:>14g}-{1e3 * b:g}" for a, b in STEP_CLASSES)
                 + "   beside them: faulty from the start, impossible later"]
        for family, kinds in sorted(self.shares.items()):
            count = {kind: kinds.get(kind, [0] * len(STEP_CLASSES)) for kind in ("fine", "start", "impossible", "flagged")}
            cells, apart = "", []
            for c in range(len(STEP_CLASSES)):
                flagged, right = count["flagged"][c], count["fine"][c] + count["flagged"][c]
                cells += f"{flagged:>5} of {right:<4}{100.0 * flagged / max(1, right):4.1f} %"
                apart.append(f"{count['start'][c]}+{count['impossible'][c]}")
            lines.append(f"{family:<28}{cells}   " + " ".join(apart))
        return lines

    def table(self):
        lines = [f"{'kind':<14}{'wrong called right':>20}{'scenes':>8}   honest misses by dt [ms]: "
                 + "".join(f"{1e3 * a:>5g}-{1e3 * b:g}" for a, b in STEP_CLASSES)]
        for kind in KINDS:
            honest = "".join(f"{self.honest[f'{kind} {c}']:>8}" for c in range(len(STEP_CLASSES)))
            lines.append(f"{kind:<14}{self.wrong[kind]:>20}{self.wrong_scenes[kind]:>8}   {'':<26}{honest}")
        steps = "".join(f"{self.steps_of_class[str(c)]:>8}" for c in range(len(STEP_CLASSES)))
        missed = "".join(f"{self.inaccurate_of_class[str(c)]:>8}" for c in range(len(STEP_CLASSES)))
        lines.append(f"{'all steps':<14}{'':>28}   {'':<26}{steps}")
        lines.append(f"{'inaccurate':<14}{'':>28}   {'':<26}{missed}")
        lines += self._share_lines()
        for kind, listed in self.worst.items():
            lines.append(f"worst {kind}:")
            lines += [f"  {text}" for _, text in listed]
        for title, names in (("crashes", self.crashes), ("hangs", self.hangs), ("stopped", self.stopped)):
            if names:
                lines.append(f"{title}: " + "; ".join(names[:10]))
        return "\n".join(lines)
