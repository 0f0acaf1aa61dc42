// Command empty does nothing: what starting a process costs.
package main

func main() {}
