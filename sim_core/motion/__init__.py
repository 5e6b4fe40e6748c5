"""Skeletons and motions, and the files that hold them: BVH, GLB and npz."""
