package switchboard;

import java.util.List;

/** Every error of this client. Catch the class that belongs to the problem's code. */
public class SwitchboardException extends Exception {
    private static final long serialVersionUID = 1;

    SwitchboardException(String message, Throwable cause) {
        super(message, cause);
    }

    /** No response: whether the gateway has handled the request is unknown. Repeating it is safe for events. */
    public static final class Unreachable extends SwitchboardException {
        private static final long serialVersionUID = 1;

        Unreachable(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** The request is not a webhook of the gateway, or it is too old. */
    public static final class InvalidSignature extends SwitchboardException {
        private static final long serialVersionUID = 1;

        InvalidSignature(String message) {
            super(message, null);
        }
    }

    /** An error of the API (RFC 9457). Decide by {@link #code}; {@link #detail} is for people and may change. */
    public static class Api extends SwitchboardException {
        private static final long serialVersionUID = 1;

        /** A member of the request that is wrong: its JSON pointer, and why. */
        public record Member(String pointer, String detail) implements java.io.Serializable {
            private static final long serialVersionUID = 1;
        }

        public final int status;
        public final String code;
        public final String detail;
        /** Refines `token_invalid`, else null. */
        public final String reason;
        public final boolean retryable;
        /** Also in the log of the gateway. */
        public final String requestId;
        public final List<Member> errors;
        /** Seconds after which the gateway takes the request again; null when it does not say. */
        public final Long retryAfter;

        Api(int status, Object problem, Long retryAfter) {
            super(status + " " + Json.text(problem, "code") + ": " + Json.text(problem, "detail"), null);
            this.status = status;
            this.retryAfter = retryAfter;
            String code = Json.text(problem, "code");
            this.code = code == null ? "" : code;
            detail = Json.text(problem, "detail");
            reason = Json.text(problem, "reason");
            retryable = Boolean.TRUE.equals(Json.member(problem, "retryable"));
            requestId = Json.text(problem, "requestId");
            errors = Json.list(problem, "errors").stream()
                .map(error -> new Member(Json.text(error, "pointer"), Json.text(error, "detail"))).toList();
        }
    }

    /** The request cannot be read, or {@link Api#errors} names members that are wrong. */
    public static final class InvalidRequest extends Api {
        private static final long serialVersionUID = 1;

        InvalidRequest(int status, Object problem, Long retryAfter) {
            super(status, problem, retryAfter);
        }
    }

    /** The credential is unknown, revoked, or of another brand; code and reason say more. */
    public static final class Unauthorized extends Api {
        private static final long serialVersionUID = 1;

        Unauthorized(int status, Object problem, Long retryAfter) {
            super(status, problem, retryAfter);
        }
    }

    /** The credential lacks the scope that the route needs. */
    public static final class Forbidden extends Api {
        private static final long serialVersionUID = 1;

        Forbidden(int status, Object problem, Long retryAfter) {
            super(status, problem, retryAfter);
        }
    }

    /** It does not exist, or belongs to another brand. */
    public static final class NotFound extends Api {
        private static final long serialVersionUID = 1;

        NotFound(int status, Object problem, Long retryAfter) {
            super(status, problem, retryAfter);
        }
    }

    /** The state does not allow it. */
    public static final class Conflict extends Api {
        private static final long serialVersionUID = 1;

        Conflict(int status, Object problem, Long retryAfter) {
            super(status, problem, retryAfter);
        }
    }

    /** Its time is over. */
    public static final class Gone extends Api {
        private static final long serialVersionUID = 1;

        Gone(int status, Object problem, Long retryAfter) {
            super(status, problem, retryAfter);
        }
    }

    /** The body has more bytes or events than the gateway takes. */
    public static final class PayloadTooLarge extends Api {
        private static final long serialVersionUID = 1;

        PayloadTooLarge(int status, Object problem, Long retryAfter) {
            super(status, problem, retryAfter);
        }
    }

    /** Too many requests, after all attempts. */
    public static final class RateLimited extends Api {
        private static final long serialVersionUID = 1;

        RateLimited(int status, Object problem, Long retryAfter) {
            super(status, problem, retryAfter);
        }
    }

    /** Nothing was stored, after all attempts. */
    public static final class Overloaded extends Api {
        private static final long serialVersionUID = 1;

        Overloaded(int status, Object problem, Long retryAfter) {
            super(status, problem, retryAfter);
        }
    }

    /** A system that the gateway called did not respond properly. */
    public static final class UpstreamUnavailable extends Api {
        private static final long serialVersionUID = 1;

        UpstreamUnavailable(int status, Object problem, Long retryAfter) {
            super(status, problem, retryAfter);
        }
    }

    /** A fault of the gateway; give {@link Api#requestId} to its operator. */
    public static final class Internal extends Api {
        private static final long serialVersionUID = 1;

        Internal(int status, Object problem, Long retryAfter) {
            super(status, problem, retryAfter);
        }
    }

    /** The exception for a problem; {@link Api} itself for a code that this client does not know. */
    static Api of(int status, Object problem, Long retryAfter) {
        String code = Json.text(problem, "code");
        return switch (code == null ? "" : code) {
            case "invalid_request", "unsupported_media_type", "method_not_allowed" ->
                new InvalidRequest(status, problem, retryAfter);
            case "unauthorized", "token_expired", "token_invalid" -> new Unauthorized(status, problem, retryAfter);
            case "forbidden" -> new Forbidden(status, problem, retryAfter);
            case "not_found" -> new NotFound(status, problem, retryAfter);
            case "conflict" -> new Conflict(status, problem, retryAfter);
            case "gone" -> new Gone(status, problem, retryAfter);
            case "payload_too_large" -> new PayloadTooLarge(status, problem, retryAfter);
            case "rate_limited" -> new RateLimited(status, problem, retryAfter);
            case "overloaded" -> new Overloaded(status, problem, retryAfter);
            case "upstream_unavailable" -> new UpstreamUnavailable(status, problem, retryAfter);
            case "internal" -> new Internal(status, problem, retryAfter);
            default -> new Api(status, problem, retryAfter);
        };
    }
}
