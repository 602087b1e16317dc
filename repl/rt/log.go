package rt

// This file implements packages log and log/slog where they say in which line a call stands: they
// would find the interpreter's own lines. Those of log are the user's; records of slog have none.

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"path"
	"reflect"
	"sync"
	"time"
)

// SetWhere sets what returns the file and the line of the call of compiled code that runs.
func (ts *Types) SetWhere(where func() (file string, line int)) { ts.where = where }

// logging keeps lines of loggers with places from mixing.
var logging sync.Mutex

// logLine is l.Output(depth, text) for a call at the place that is known, which is depth 1.
func (ts *Types) logLine(l *log.Logger, depth int, text string) error {
	const files = log.Lshortfile | log.Llongfile
	flags := l.Flags()
	if flags&files == 0 {
		return l.Output(depth, text)
	}
	place := "???:0: " // what Go prints where it does not know either
	if depth <= 1 && ts != nil && ts.where != nil {
		file, line := ts.where()
		if flags&log.Lshortfile != 0 {
			file = path.Base(file)
		}
		place = fmt.Sprintf("%s:%d: ", file, line)
	}
	prefix := l.Prefix()
	if flags&log.Lmsgprefix != 0 {
		place, prefix = place+prefix, ""
	}
	logging.Lock()
	defer logging.Unlock()
	return log.New(l.Writer(), prefix, flags&^(files|log.Lmsgprefix)).Output(0, place+text)
}

// logMethods are the methods of a logger, as functions with it first.
func (ts *Types) logMethods() map[string]any {
	type logger = *log.Logger
	say := func(l logger, text string) { _ = ts.logLine(l, 1, text) }
	exit := func(l logger, text string) { say(l, text); panic(Exit{1}) }
	fail := func(l logger, text string) { say(l, text); panic(text) }
	table := map[string]any{"Output": ts.logLine}
	for name, do := range map[string]func(logger, string){
		"Print": say, "Fatal": exit, "Panic": fail,
	} {
		table[name] = func(l logger, args ...any) { do(l, fmt.Sprint(args...)) }
		table[name+"ln"] = func(l logger, args ...any) { do(l, fmt.Sprintln(args...)) }
		table[name+"f"] = func(l logger, format string, args ...any) {
			do(l, fmt.Sprintf(format, args...))
		}
	}
	return table
}

// withDefault returns methods as functions of the default that first gives.
func withDefault[T any](methods map[string]any, first func() T) map[string]any {
	functions := map[string]any{}
	for name, m := range methods {
		functions[name] = bind(m, func() reflect.Value { return reflect.ValueOf(first()) })
	}
	return functions
}

// slogMethods are the methods of a logger of slog that make records, as functions with it first.
func slogMethods() map[string]any {
	type logger = *slog.Logger
	record := func(
		ctx context.Context, l logger, level slog.Level, msg string, add func(*slog.Record),
	) {
		if ctx == nil {
			ctx = context.Background()
		}
		if !l.Enabled(ctx, level) {
			return
		}
		r := slog.NewRecord(time.Now(), level, msg, 0)
		add(&r)
		_ = l.Handler().Handle(ctx, r)
	}
	log := func(l logger, ctx context.Context, level slog.Level, msg string, args ...any) {
		record(ctx, l, level, msg, func(r *slog.Record) { r.Add(args...) })
	}
	table := map[string]any{
		"Log": log,
		"LogAttrs": func(
			l logger, ctx context.Context, level slog.Level, msg string, attrs ...slog.Attr,
		) {
			record(ctx, l, level, msg, func(r *slog.Record) { r.AddAttrs(attrs...) })
		},
	}
	for name, level := range map[string]slog.Level{
		"Debug": slog.LevelDebug, "Info": slog.LevelInfo, "Warn": slog.LevelWarn,
		"Error": slog.LevelError,
	} {
		table[name] = func(l logger, msg string, args ...any) {
			log(l, context.Background(), level, msg, args...)
		}
		table[name+"Context"] = func(l logger, ctx context.Context, msg string, args ...any) {
			log(l, ctx, level, msg, args...)
		}
	}
	return table
}
