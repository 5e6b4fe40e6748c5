"""Poses of a jointed body that bring its points to targets: the solvers of marker fitting and retargeting.

fit_body.JointedBody        links, joints and limits; fit_body.EngineBody is the compiled model of it
fit_rig.body_from_rig       a jointed body from a skeleton and its bone mapping, and its poses as a motion
points.Attachments          points attached to links, with their positions and Jacobians
engine_solver.EngineSolver  one pose at a time, by steps of the physics engine (preview)
batch_solver.smooth_poses   all poses of a take at once, smooth over time (final)
pose_terms                  weights that suppress outliers, pose priors and joint limits
control_points.pull_bones   bones of any motion pulled to targets
"""
