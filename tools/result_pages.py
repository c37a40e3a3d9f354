"""What the pages of docs/results share."""


def time_text(seconds):
    if seconds < 1e-3:
        return f"{1e6 * seconds:.3g} µs"
    return f"{1e3 * seconds:.3g} ms" if seconds < 1.0 else f"{seconds:.2f} s"


def table(header, lines):
    return ["| " + " | ".join(header) + " |", "|---" * len(header) + "|",
            *("| " + " | ".join(map(str, line)) + " |" for line in lines), ""]
