"""The table that bench/run prints: a line for each row of ours, and one for each peer below."""
STAGES = ['order', 'landmarks', 'frames', 'graph', 'degrees', 'operator', 'spectrum', 'eigenvectors']

FOOTER = '''\
Seconds: points in memory to eigenvectors in memory, with all threads in use; of a streamed row file to file.
runs: the fastest of so many: three; nine of ours up to 200,000 points; one of what takes longer than 8 s or has 5,000,000 points.
MB: peak memory of the whole process. x floor: seconds over the least that this machine could take
(bench/floor.py). ratio: seconds of the peer over ours, in the rows above it in their order.
agreement: of lavdm, the largest relative difference of an eigenvalue from the peer's. On the torus, root mean
square sine of the angles between eigenvectors and true eigenfunctions (bench/accuracy.py); ours is with default
options and, tuned, as the Nystroem peer is: with the fewest landmarks and a bandwidth that are as accurate.
On fashion-mnist, the share of labels that 10 nearest neighbours get right; points there are in single precision,
and so is all that scikit-learn does.'''


def header():
    return (f'{"case":21}{"method":10}{"n":>10}{"m":>7} {"precision":10}' + ''.join(f'{s[:8]:>9}' for s in STAGES + ['other'])
            + f'{"total":>10}{"runs":>5}{"MB":>7}{"x floor":>8}  {"ratio":24}agreement')


def stages(seconds):
    """The stages, and what is left of the total: checks, the choice of a bandwidth, files."""
    known = {s: seconds[s] for s in STAGES if seconds.get(s, 0) >= 5e-4}
    known['other'] = seconds['total'] - sum(known.values())
    return ''.join(f'{known[s]:9.3f}' if known.get(s, 0) >= 5e-4 else f'{"":9}' for s in STAGES + ['other'])


def line(row):
    if 'note' in row:
        return f'{row["case"]:21}{row["method"]:10}{row["n"]:10}{"":8}{row.get("precision", ""):10} {row["note"]}'
    over = f'{row["seconds"]["total"] / row["floor"]["total"]:8.1f}' if 'floor' in row else f'{"":8}'
    text = f'{row["case"]:21}{row["method"]:10}{row["n"]:10}{row["m"]:7} {row["precision"]:10}'
    text += stages(row['seconds']) + f'{row["seconds"]["total"]:10.3f}{row["runs"]:5}{row["peak_memory"] / 1e6:7.0f}'
    return text + over + f'  {"":24}{quality(row)}'


def extension_line(row):
    """What it took to apply the model to new points."""
    new, seconds = row['extension']['n'], row['extension']['seconds']
    label = f'applied to {new} new points, {row["precision"]}'
    return f'  {label:57}{"":81}{seconds:10.3f}  {new / seconds / 1e6:.3f} million points a second'


def quality(entry):
    if 'error' in entry:
        return f'{entry["error"]:.3f}'
    return f'{100 * entry["accuracy"]:.1f}%' if 'accuracy' in entry else ''


def peer_line(same):
    """One peer, beside each of the rows above it."""
    peer = same[0]
    if 'note' in peer:
        return f'  {peer["peer"]:57} {peer["note"]}'
    name = peer['peer'] + (f' ({peer["setting"]})' if 'setting' in peer else '')
    ratio = ' / '.join(f'{other["ratio"]:.1f}' for other in same)
    agreement = quality(peer) or ' / '.join(f'{other["difference"]:.0e}' for other in same if 'difference' in other)
    return (f'  {name:57}' + stages(peer['seconds']) + f'{peer["seconds"]["total"]:10.3f}{peer["runs"]:5}'
            f'{peer["peak_memory"] / 1e6:7.0f}{"":8}  {ratio:24}{agreement}')


def show(rows):
    """Rows of one case that have the same peers."""
    for row in rows:
        print(line(row), flush=True)
        if 'extension' in row:
            print(extension_line(row), flush=True)
    for same in zip(*(row['peers'] for row in rows if 'note' not in row)):
        print(peer_line(same), flush=True)
