"""Zero-phase Butterworth filters: equal to scipy.signal's, which takes too long to load."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import butter, sosfiltfilt

from sim_core.base.butterworth import LONG, Band, design, zero_phase

RATES_HZ = (24.0, 30.0, 59.94, 100.0, 120.0, 240.0)


@pytest.mark.parametrize("rate_hz", RATES_HZ)
@pytest.mark.parametrize(("order", "band"), [(2, "lowpass"), (4, "lowpass"), (4, "highpass")])
def test_the_filter_is_that_of_scipy(rate_hz: float, order: int, band: Band) -> None:
    """The same operations in the same order; another processor may fuse some of them."""
    rng = np.random.default_rng(int(rate_hz))
    for cutoff_hz, samples in ((2.0, LONG - 1), (8.0, 400), (8.0, LONG)):
        values = np.cumsum(rng.normal(size=(samples, 3, 4)), axis=0)
        sections = butter(order, cutoff_hz, band, fs=rate_hz, output="sos")
        np.testing.assert_allclose(design(rate_hz, cutoff_hz, order, band), sections, rtol=1e-13)
        for pad in (0, 15, 399):
            expected = sosfiltfilt(sections, values, axis=0, padlen=pad)
            found = zero_phase(values, rate_hz, cutoff_hz, order, band, pad)
            np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-11 * np.abs(values).max())


def test_a_constant_passes_a_low_pass_and_not_a_high_pass() -> None:
    values = np.full((50, 2), 3.0)
    np.testing.assert_allclose(zero_phase(values, 100.0, 8.0, 2, "lowpass", 20), values, atol=1e-12)
    np.testing.assert_allclose(zero_phase(values, 100.0, 12.0, 4, "highpass", 15), 0.0, atol=1e-12)


def test_half_of_the_amplitude_is_left_at_the_cutoff() -> None:
    """Each of the two passes leaves one over the root of two, without a shift."""
    time_s = np.arange(2000) / 100.0
    wave = np.sin(2.0 * np.pi * 8.0 * time_s)
    filtered = zero_phase(wave, 100.0, 8.0, 2, "lowpass", 100)
    np.testing.assert_allclose(filtered[500:1500], 0.5 * wave[500:1500], atol=1e-9)
