"""Long runs and large files; importing it loads the extension, which its trials import."""

from tools.load_extension import load_heft

load_heft()
