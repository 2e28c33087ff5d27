import Glibc
import Synchronization

/// A process that has just been started, with the reading ends of its pipes.
///
/// It uses `posix_spawn`: Foundation's `Process` loses track of processes on Linux when many start and end at once.
struct SpawnedProcess {
    /// The process id.
    var id: pid_t
    /// The reading end of its standard output.
    var output: Int32
    /// The reading end of its standard error.
    var errors: Int32

    /// Starts a program with empty input, default signal handling, the whole environment as given, and no other
    /// descriptor of this process.
    static func start(
        _ program: String,
        _ arguments: [String],
        environment: [String: String],
        directory: String?
    ) throws(HarnessError) -> SpawnedProcess {
        try spawning.withLock { _ throws(HarnessError) in
            try spawn(program, arguments, environment: environment, directory: directory)
        }
    }

    /// Held while a process is started: pipes created meanwhile would be inherited before they are marked
    /// close-on-exec.
    private static let spawning = Mutex(())

    private static func spawn(
        _ program: String,
        _ arguments: [String],
        environment: [String: String],
        directory: String?
    ) throws(HarnessError) -> SpawnedProcess {
        let (output, errors) = (try pipe(), try pipe())
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output.writing, 1)
        posix_spawn_file_actions_adddup2(&actions, errors.writing, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        // `env` changes the directory: the call that does so in `posix_spawn` is hidden from Swift.
        let words = (directory.map { ["/usr/bin/env", "-C", $0] } ?? []) + [program] + arguments
        var argv = words.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
            for text in argv + variables { free(text) }
            close(output.writing)
            close(errors.writing)
        }
        var id: pid_t = 0
        let result = posix_spawn(&id, words[0], &actions, &attributes, &argv, &variables)
        guard result == 0 else {
            close(output.reading)
            close(errors.reading)
            throw HarnessError("cannot start \(program): \(String(cString: strerror(result)))")
        }
        return SpawnedProcess(id: id, output: output.reading, errors: errors.reading)
    }

    /// Creates a pipe whose ends no other child inherits.
    private static func pipe() throws(HarnessError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else {
            throw HarnessError("cannot create a pipe: \(String(cString: strerror(errno)))")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
