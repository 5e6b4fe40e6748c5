"""Butterworth filters without phase shift, as scipy.signal has them.

They are written out here because every bake needs them, while scipy.signal loads scipy.stats, which takes
longer to load than numpy and MuJoCo together. Long signals are left to scipy.signal, whose loop is compiled.
A test holds both equal.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from .conventions import FloatArray

Band = Literal["lowpass", "highpass"]
LONG = 1000
"""Number of samples from which loading scipy.signal is worth it: a bake filters about ten times."""


def zero_phase(
    values: FloatArray, rate_hz: float, cutoff_hz: float, order: int, band: Band, pad: int
) -> FloatArray:
    """Filter values (T, ...) forwards and backwards.

    order: of one pass, even
    pad: number of samples, fewer than T, that are added at each end by rotating the signal about its end
    """
    if len(values) >= LONG:
        from scipy.signal import butter, sosfiltfilt  # here, because short signals do without it

        sections = butter(order, cutoff_hz, band, fs=rate_hz, output="sos")
        return np.asarray(sosfiltfilt(sections, values, axis=0, padlen=pad))
    sections = design(rate_hz, cutoff_hz, order, band)
    steady = _steady_states(sections)
    flat = np.asarray(values, dtype=np.float64).reshape(len(values), -1)
    before = 2.0 * flat[:1] - flat[pad:0:-1]
    after = 2.0 * flat[-1:] - flat[-2 : -(pad + 2) : -1]
    signal: FloatArray = np.concatenate((before, flat, after))
    for _ in range(2):
        signal = _filtered(sections, steady, signal)[::-1]
    return np.ascontiguousarray(signal[pad : pad + len(flat)]).reshape(values.shape)


def design(rate_hz: float, cutoff_hz: float, order: int, band: Band) -> FloatArray:
    """Return second-order sections (order / 2, 6): numerator and denominator, powers of 1/z.

    The analogue poles lie on a circle; the bilinear transform, whose rate is 2 here, keeps the cut-off.
    """
    high = band == "highpass"
    cutoff = 4.0 * np.tan(np.pi * (2.0 * cutoff_hz / rate_hz) / 2.0)
    circle = -np.exp(1j * np.pi * np.arange(1 - order, order, 2) / (2 * order))
    analogue = cutoff / circle if high else cutoff * circle
    poles = (4.0 + analogue) / (4.0 - analogue)
    gain = (4.0 if high else cutoff) ** order * np.real(1.0 / np.prod(4.0 - analogue))
    own = poles[poles.imag > 0.0]  # one of each pair; the slowest to decay comes last
    own = own[np.argsort(np.abs(own))]
    zeros = (1.0, -2.0 if high else 2.0, 1.0)
    sections = np.array([[*zeros, *np.poly((pole, pole.conj()))] for pole in own])
    sections[0, :3] *= gain
    return sections


def _steady_states(sections: FloatArray) -> FloatArray:
    """Return the states (sections, 2) in which a constant input of one leaves the filter unchanged."""
    states, gain = [], 1.0
    for section in sections:
        b, a = section[:3], section[3:]
        change = np.array([[1.0 + a[1], -1.0], [a[2], 1.0]])
        states.append(gain * np.linalg.solve(change, b[1:] - a[1:] * b[0]))
        gain *= b.sum() / a.sum()
    return np.array(states)


def _filtered(sections: FloatArray, steady: FloatArray, signal: FloatArray) -> FloatArray:
    """Return signals (T, N) filtered forwards, from the steady states of their first samples."""
    start = signal[0]
    for section, state in zip(sections, steady, strict=True):
        b, a = section[:3], section[4:, None]
        fed_now, fed_later = b[0] * signal, b[1:, None] * signal[:, None]
        first, second = state[:, None] * start
        signal = np.empty_like(fed_now)
        for now, later, out in zip(fed_now, fed_later, signal, strict=True):
            np.add(now, first, out=out)
            later -= a * out
            first, second = later[0] + second, later[1]
    return signal
