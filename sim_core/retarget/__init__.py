"""Retargeting: the motion of one body on another, in the same style, with feet and hands where they belong.

retarget.retarget_together     the whole pipeline, for one character or for several
retarget_rig.RetargetRig       a rig with its parts, its soles and axes in which parts of two rigs compare
style.styled                   directions of all parts as in the source, on a path of the target's size
stances.find_stances           when heels and toes of the source rest on the ground
foot_goals.foot_goals          where the target's feet go: locked in stances, corrected smoothly in between
heel_rise.raised_heels         heights of heels on toes, so that knees bend as in the source
scene_floor.on_ground          feet on the ground of a scene
body_surface.part_surfaces     the surfaces of a character's parts, from its mesh or from capsules
hand_touches.find_touches      when palms of the source rest on a body
props.Prop                     an object that hands touch
in_scene.retarget_in_scene     characters among the objects of a scene
relations.find_relations       what palms touch, meet and pass in the source
palm.Palm                      what one hand touches and what it stays outside of
hands.Hands                    where all hands go, and the props that they hold
placement.ground_shifts        where characters stand who touch each other
trunk.bent_trunks              spines that bend towards what arms do not reach
unreached.unreached            what hands touch in the source and miss, and how near any pose would come
displacements.Pulls            displacements that are smooth over the whole motion
arms.reaching                  arms with palms at given positions
limbs.LimbSolver               legs that reach their goals
extremities.extremity_rotations  fingers, toes and other bones
fingers.finger_rotations       fingers with other numbers of bones
resizing.is_same_body          whether source and target are the same body
"""
