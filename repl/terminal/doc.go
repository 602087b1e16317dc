// Package terminal is the front end for people at a terminal and for pipes.
//
//	terminal.Interactive(ctx, session, cfg)         // prompt, edit, run, until Ctrl-D
//	terminal.Batch(ctx, session, os.Stdin, cfg)     // what comes through a pipe, piece by piece
//	terminal.Eval(ctx, session, "1 + 1", cfg)       // one cell
//
// All three print results to Config.Out and errors to Config.Err; only Interactive prints prompts
// and notices. Pictures appear as their text, live values once, at the end of their cell. While a
// cell runs, Ctrl-C stops it and keeps every earlier value; at the prompt it clears the line. There
// Tab completes and Shift-Tab explains what stands before the cursor, if the session is a [Helper].
package terminal
