// Package notebooks reads, runs and writes Jupyter notebook files, without Jupyter.
//
//	nb, err := notebooks.ReadFile("first-loop.ipynb")
//	err = nb.Run(ctx, session, notebooks.RunConfig{})
//	err = nb.WriteFile("first-loop.ipynb") // nbformat 4.5, written beside and renamed
//	err = nb.WriteHTML(page)               // one file, no external resources
//
// A notebook runs from its first cell to its last, each code cell through an [Evaluator], which a
// repl.Session is. Outputs are stored as a Jupyter client stores them: streams joined, displays
// replaced by display id, results with their number, errors with their traceback. Metadata that
// this package does not know, and attachments, are kept as they are.
//
// The folder also holds the teaching notebooks, numbered in the order of reading.
package notebooks
