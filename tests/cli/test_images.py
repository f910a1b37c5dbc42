"""`tao ask --image`."""

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


def test_a_picture_goes_with_the_question_and_is_shown_with_the_run(tao, server, tmp_path):
    (tmp_path / "cat.png").write_bytes(PNG)
    server.will("A cat.")
    done = tao("ask", "What is this?", "--image", str(tmp_path / "cat.png"), "--image", "https://example.com/b.png", "--dialect", "native")
    assert (done.returncode, done.stdout) == (0, "Final Answer: A cat.\n")
    content = server.bodies[0]["messages"][-1]["content"]
    assert [part["type"] for part in content] == ["image_url", "image_url", "text"]
    assert content[0]["image_url"]["url"].startswith("data:image/png;base64,iVBOR")
    assert "Question: What is this? [images: 2]" in tao("show").stdout


def test_what_is_no_picture_is_a_wrong_setting(tao, server):
    server.will("x")
    done = tao("ask", "What is this?", "--image", "nowhere.png")
    assert (done.returncode, server.bodies) == (2, [])
    assert "image 'nowhere.png' cannot be read: No such file or directory" in done.stderr


def test_a_local_model_takes_none(tao):
    done = tao("ask", "What is this?", "--image", "https://example.com/b.png", "--model", "deepseek:deepseek-v4-pro", DEEPSEEK_API_KEY="k")
    assert done.returncode == 2
    assert "deepseek:deepseek-v4-pro takes no images" in done.stderr


def test_a_run_with_pictures_does_not_go_on_with_a_model_that_takes_none(tao, server, tmp_path):
    (tmp_path / "cat.png").write_bytes(PNG)
    server.will("Final Answer: A cat.")
    assert tao("ask", "What is this?", "--image", str(tmp_path / "cat.png")).returncode == 0
    done = tao("replay", "--from", "1", "--model", "deepseek:deepseek-v4-pro", DEEPSEEK_API_KEY="k")
    assert done.returncode == 2
    assert "deepseek:deepseek-v4-pro takes no images" in done.stderr
