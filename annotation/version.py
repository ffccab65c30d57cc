"""The version of this code, stored with every result. PURE. A test keeps it equal to pyproject."""

CODE_VERSION = "0.1.0"
