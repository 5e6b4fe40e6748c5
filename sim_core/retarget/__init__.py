"""The motion of one body on another: its style, with feet and hands where they belong.

actor.Actor           a rig with its parts, its soles and the axes in which parts of two rigs are compared
style.styled          directions of all parts as in the source, on the path of the target's own size
stances.find_stances  when heels and toes of the source rest on the ground
feet.foot_goals       where the target's feet go: locked in stances, corrected smoothly between them
heels.raised_heels    how high heels are on toes, so that knees bend as the source's do
ground.on_ground      the same on the ground of a scene
hands.hand_goals      where its hands go: hands that meet, hands that touch the body, and wished places
limbs.LimbSolver      legs and arms that reach their goals, by the engine's Gauss-Newton steps
ends.with_ends        fingers and toes
twins.are_twins       whether source and target are the same body
pipeline.retarget     all of it
job.RetargetJob       what Blender and the child process exchange
"""
