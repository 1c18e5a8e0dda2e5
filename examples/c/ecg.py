"""The ECG that comes with SciPy, as respiration.c reads it: millivolts at 360 Hz, a number per line.

    python3 ecg.py > ecg.txt

Five minutes of record 208 of the MIT-BIH Arrhythmia Database (lead MLII), which SciPy has in
scipy.misc (Debian: python3-scipy) and since 1.10 downloads with scipy.datasets.
"""
import warnings

warnings.simplefilter("ignore")
try:
    from scipy.misc import electrocardiogram
except ImportError:
    from scipy.datasets import electrocardiogram

for value in electrocardiogram():
    print(f"{value:g}")
