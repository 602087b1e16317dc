"""What every message of a kernel must look like, by the Jupyter protocol 5.5."""

import jsonschema

TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 0}
BOOL = {"type": "boolean"}
OBJECT = {"type": "object"}
TEXTS = {"type": "array", "items": TEXT}
STATUS = {"enum": ["ok", "error", "aborted"]}
BUNDLE = {
    "type": "object",
    "additionalProperties": {"not": {"type": "null"}},
    "patternProperties": {
        r"^text/|^image/|^application/javascript$": TEXT,
        r"^application/(.+\+)?json$": {},
    },
}


def _object(required, **optional):
    return {
        "type": "object",
        "properties": {**required, **optional},
        "required": sorted(required),
    }


HEADER = _object(
    dict(
        msg_id={"type": "string", "minLength": 1},
        msg_type={"type": "string", "minLength": 1},
        session=TEXT,
        username=TEXT,
        version={"type": "string", "pattern": r"^5\.\d+$"},
        date={
            "type": "string",
            "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$",
        },
    ),
    subshell_id={"type": ["string", "null"]},
)

_ERROR = dict(ename=TEXT, evalue=TEXT, traceback=TEXTS)
_DATA = dict(data=BUNDLE, metadata=OBJECT)
_TRANSIENT = dict(transient=_object({}, display_id=TEXT))

IOPUB = {
    "status": _object(dict(execution_state={"enum": ["busy", "idle", "starting"]})),
    "execute_input": _object(dict(code=TEXT, execution_count=COUNT)),
    "stream": _object(
        dict(name={"enum": ["stdout", "stderr"]}, text={"type": "string", "minLength": 1})
    ),
    "display_data": _object(_DATA, **_TRANSIENT),
    "update_display_data": _object(
        dict(_DATA, transient=_object(dict(display_id={"type": "string", "minLength": 1})))
    ),
    "execute_result": _object(dict(_DATA, execution_count=COUNT), **_TRANSIENT),
    "error": _object(_ERROR),
    "clear_output": _object(dict(wait=BOOL)),
    "iopub_welcome": _object(dict(subscription=TEXT)),
    "comm_open": _object(dict(comm_id=TEXT, target_name=TEXT, data=OBJECT)),
    "comm_msg": _object(dict(comm_id=TEXT, data=OBJECT)),
    "comm_close": _object(dict(comm_id=TEXT, data=OBJECT)),
    "shutdown_reply": _object(dict(restart=BOOL)),
}

_PAYLOAD = {
    "type": "object",
    "properties": {"source": {"enum": ["page", "set_next_input", "ask_exit", "edit_magic"]}},
    "required": ["source"],
}

REPLIES = {
    "execute_reply": _object(
        dict(execution_count=COUNT),
        user_expressions={"type": "object", "additionalProperties": _object(dict(status=STATUS))},
        payload={"type": "array", "items": _PAYLOAD},
    ),
    "inspect_reply": _object(dict(found=BOOL, data=BUNDLE, metadata=OBJECT)),
    "complete_reply": _object(
        dict(matches=TEXTS, cursor_start=COUNT, cursor_end=COUNT, metadata=OBJECT)
    ),
    "is_complete_reply": _object({}),
    "history_reply": _object(
        dict(history={"type": "array", "items": {"type": "array", "minItems": 3, "maxItems": 3}})
    ),
    "comm_info_reply": _object(
        dict(comms={"type": "object", "additionalProperties": _object(dict(target_name=TEXT))})
    ),
    "kernel_info_reply": _object(
        dict(
            protocol_version={"type": "string", "pattern": r"^5\.\d+$"},
            implementation=TEXT,
            implementation_version=TEXT,
            banner=TEXT,
            language_info=_object(
                dict(name=TEXT, version=TEXT, mimetype=TEXT, file_extension={"pattern": r"^\."}),
                pygments_lexer=TEXT,
                codemirror_mode={"type": ["string", "object"]},
                nbconvert_exporter=TEXT,
            ),
        ),
        debugger=BOOL,
        supported_features=TEXTS,
        help_links={"type": "array", "items": _object(dict(text=TEXT, url=TEXT))},
    ),
    "interrupt_reply": _object({}),
    "shutdown_reply": _object(dict(restart=BOOL)),
    "create_subshell_reply": _object(dict(subshell_id=TEXT)),
    "delete_subshell_reply": _object({}),
    "list_subshell_reply": _object(dict(subshell_id=TEXTS)),
}

INPUT = _object(dict(prompt=TEXT, password=BOOL))

_COMPLETENESS = _object(
    dict(status={"enum": ["complete", "incomplete", "invalid", "unknown"]}), indent=TEXT
)


def check(channel, message):
    """Says what is wrong with a message that came on a channel, by an exception."""
    kind, content = message["header"]["msg_type"], message["content"]
    what = f"{kind} on {channel}"
    header = dict(message["header"], date=_text(message["header"]["date"]))
    _validate(header, HEADER, what + ": header")
    _validate(message["metadata"], OBJECT, what + ": metadata")
    if message["parent_header"]:
        parent = dict(message["parent_header"])
        parent["date"] = _text(parent.get("date", header["date"]))
        _validate(parent, HEADER, what + ": parent header")
    if channel == "iopub":
        assert kind in IOPUB, f"{kind} has no place on iopub"
        _validate(content, IOPUB[kind], what)
    elif channel == "stdin":
        assert kind == "input_request", f"{kind} has no place on stdin"
        _validate(content, INPUT, what)
    else:
        _check_reply(kind, content, what)


def _check_reply(kind, content, what):
    if kind == "is_complete_reply" and content.get("status") != "error":
        _validate(content, _COMPLETENESS, what)
        return
    _validate(content, _object(dict(status=STATUS)), what)
    if content["status"] == "ok":
        if kind in REPLIES:
            _validate(content, REPLIES[kind], what)
    elif content["status"] == "error":
        _validate(content, _object(_ERROR), what)


def _validate(value, schema, what):
    try:
        jsonschema.Draft202012Validator(schema).validate(value)  # does not check the schema anew
    except jsonschema.ValidationError as e:
        place = ".".join(str(p) for p in e.absolute_path)
        raise AssertionError(f"{what}: {place}: {e.message[:300]}") from None


def _text(date):
    return date if isinstance(date, str) else date.isoformat()
