package shell

// reason says what a code means and how to write the line so that it can be read.
func reason(code string) string {
	switch code {
	case "syntax":
		return "the shell text cannot be parsed; check quotes and brackets, and close every here-document"
	case "dynamic-command":
		return "the program or subcommand is known only when the line runs; write its name out"
	case "dynamic-script":
		return "a shell runs text that is known only when the line runs; write the commands out"
	case "dynamic-code":
		return "an interpreter reads code that is known only when the line runs; put it in a file first, or write it out"
	case "dynamic-args":
		return "options are read from a file; write them out"
	case "script-written":
		return "a file that this line makes is run by it; make it in one call and run it in the next"
	case "env-exec":
		return "the environment decides which code runs; leave the variable or option out"
	case "shadowed":
		return "another program is put under a known name; call it by its own name"
	case "recursion":
		return "functions or scripts call each other without end, or too deep"
	case "dialect":
		return "this shell language is not read; write the line for bash"
	default:
		return "the line is too large to be read; split it into shorter lines"
	}
}
