import SwitchboardClient

/// The device library's JSON value, in files that import the command line's too: the library's module has the name of
/// its actor, so that the module cannot qualify a name.
typealias DeviceJSON = JSONValue
