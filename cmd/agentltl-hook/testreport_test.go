package main

import (
	"encoding/xml"
	"testing"
)

// A JUnit report is XML whatever stands in the names and texts.
func TestJUnit(t *testing.T) {
	t.Parallel()
	odd := "a<b>&\"c\"\x1b[31m\n]]> é \xff"
	want := "a<b>&\"c\"�[31m\n]]> é �"
	tt := &tester{
		e: &env{Dir: "/repo"}, ran: 1,
		cases: []testedCase{{File: "/repo/x.yaml", Name: odd, OK: false, Failed: []failedStep{{Step: odd, Line: 3, Text: odd}}}},
		bad:   []failedExample{{Rule: odd, Problem: odd, File: "/repo/y.yaml", Line: 7}},
	}
	var doc struct {
		XMLName xml.Name `xml:"testsuites"`
		Suites  []struct {
			Name     string `xml:"name,attr"`
			Failures int    `xml:"failures,attr"`
			Cases    []struct {
				Name    string `xml:"name,attr"`
				Failure struct {
					Message string `xml:"message,attr"`
					Text    string `xml:",chardata"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(tt.junit(), &doc); err != nil {
		t.Fatalf("%v\n%s", err, tt.junit())
	}
	if len(doc.Suites) != 2 || doc.Suites[0].Name != "x.yaml" || doc.Suites[0].Failures != 1 || doc.Suites[1].Failures != 1 {
		t.Fatalf("%+v", doc)
	}
	c := doc.Suites[0].Cases[0]
	if c.Name != want || c.Failure.Message != want || c.Failure.Text != "line 3: "+want+": "+want+"\n" {
		t.Errorf("%q", c)
	}
}
