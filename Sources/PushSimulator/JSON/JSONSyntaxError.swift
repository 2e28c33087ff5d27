/// The error of a text that is not JSON.
package struct JSONSyntaxError: Error, Equatable {
    /// The description of the error, without any part of the text.
    package var reason: String
    /// The offset in bytes at which it was detected.
    package var offset: Int
}
