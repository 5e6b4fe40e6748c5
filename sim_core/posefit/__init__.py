"""Poses of a jointed body that bring points of it to places: one solver for fitting and retargeting.

body.JointedBody      links, joints, limits; body.EngineBody is the same for the engine
rig.body_from_rig     a jointed body from a skeleton and its table of bones, and its poses back as a motion
points.Attachments    points that sit on links, with their places and Jacobians
engine.EngineSolver   one pose at a time: the physics engine's own step as a Gauss-Newton step (preview)
batch.smooth_poses    all poses of a take at once, smooth over time (final)
robust                weights that take the force from outliers
"""
