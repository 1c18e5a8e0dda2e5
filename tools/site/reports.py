import pathlib,sys
pathlib.Path(sys.argv[1],"reports.md").write_text("# Gallery of reports\n")
