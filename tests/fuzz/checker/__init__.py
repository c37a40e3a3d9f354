"""An oracle for recordings that shares no code with the library: numpy, h5py and tomllib only.

    rotation    quaternions, and free rotation of rigid bodies
    shapes      support functions, mass properties
    recording   a recording with its scene as arrays
    joints      errors of joints and limits
    overlap     depths of overlaps by separating directions
    energy      gains of energy beyond the work that was done
    checks      what each step did wrong, in units of the bodies' sizes
    report      tables
"""
