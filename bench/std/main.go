// Command std links what nearly every program of the module links from the
// standard library, and nothing of ours: reader's package is measured beside it.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

func main() {
	if len(os.Args) > 1 {
		line := os.Args[1]
		fmt.Println(json.Valid([]byte(line)), regexp.MustCompile(line), filepath.Base(line))
	}
}
