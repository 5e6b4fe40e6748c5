"""The supports that a motion was captured on, found from the motion alone, as objects of a scene."""
