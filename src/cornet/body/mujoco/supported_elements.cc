#include "cornet/body/mujoco/supported_elements.h"

namespace cornet {
namespace {

constexpr SupportedElement kElements[] = {
    {"body, inertial", "a link; bodies without joints are part of the link they are fixed to"},
    {"body with a freejoint alone", "a free body"},
    {"body mocap", "surroundings that move as the scene or inputs of a step say; those that hold something that moves stand where the model puts them"},
    {"joint hinge, slide, ball, free", "coordinates of the tree, in the layout of the model"},
    {"joint range", "a limit, exact; of a ball a cone"},
    {"joint armature", "inertia of the joint"},
    {"joint frictionloss", "dry friction: holds exactly up to its force"},
    {"joint stiffness, damping, springref", "an implicit spring and damper"},
    {"body gravcomp", "a force against gravity"},
    {"geom plane, sphere, capsule, ellipsoid, cylinder, box", "the same shape"},
    {"geom mesh", "the convex hull of the mesh"},
    {"geom hfield", "a height field, where the body stands"},
    {"geom of the world", "surroundings"},
    {"geom contype, conaffinity", "which shapes meet, by the model's rule; shapes of the scene are met by all that meet anything"},
    {"geom friction, priority, condim 1 and 3", "the sliding coefficient of the higher priority, otherwise the larger one; 0 where both say condim 1"},
    {"contact pair, exclude", "pairs with a friction of their own; bodies that do not meet"},
    {"equality connect, weld", "a loop; trees that it joins become one"},
    {"equality joint, tendon", "a coupling by a polynomial"},
    {"tendon fixed, spatial", "transmission, limits, dry friction, springs and dampers"},
    {"actuator motor, position, velocity, damper, general", "a force affine in control or activation, length and velocity, implicit"},
    {"actuator ctrlrange, forcerange; joint actuatorfrcrange", "limits; those of forces are rows of the step, exact"},
    {"keyframe", "where a robot can begin, with its controls"},
    {"URDF mesh filename", "relative to the model, or in a package: package://, model://, file://"},
    {"URDF mimic", "a coupling of two joints, exact; a joint begins where it has to"},
    {"URDF drake:mu_static, drake:mu_dynamic, gazebo mu1", "the sliding coefficient, of a collision or of all of a link; that of rest where there are two"},
    {"option timestep, gravity", "those of a run without a scene file"},
    {"solref, solimp, impratio, noslip", "no meaning here, listed as not used"},
    {"condim 4 and 6", "sliding friction alone; the rest is listed as not used"},
    {"actuator cylinder, intvelocity, dyntype integrator, filter, filterexact, actrange", "a control that acts late: the activation is part of the state, exact for a control that is held"},
    {"actuator actearly", "no meaning here: a step uses the mean of the activation over it"},
    {"muscle, other dyntypes, adhesion, delay, plugin, flex", "listed as not used"},
};

}  // namespace

std::span<const SupportedElement> supportedElements() { return kElements; }

}  // namespace cornet
